import { expect, it } from 'vitest';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { RemoteRouter } from './RemoteRouter.ts';

/** A router on a node that accepts every request. @param check called for each request; an error refuses it */
function open(check: (request: object) => void = () => undefined): RemoteRouter {
  const call = (name: string, { producerId, ...request }: { producerId?: string }) =>
    Promise.resolve().then(() => {
      check(request);
      return name === 'part.consume'
        ? { consumer: { id: producerId, producerId, kind: 'audio', rtpParameters: {} } }
        : {};
    });
  const link = { call } as unknown as Awaited<
    ReturnType<ConstructorParameters<typeof RemoteRouter>[0]['link']>
  >;
  return new RemoteRouter({
    nodeId: 'other',
    consumersPerWorker: 400,
    link: () => Promise.resolve(link),
    nodeLoad: () => 0,
    onEvent: () => undefined,
    onClosed: () => undefined,
  });
}

it('counts what its peers will receive, with the loads that its node reported', async () => {
  const router = open();
  const member = { rtpCapabilities: { codecs: [] }, multiparty: true };
  for (const key of ['ann', 'ben']) await router.addPeer({ key, ...member });
  expect(router.load.consumers).toBe(2 * 12);
  router.onLoad({ consumers: 100, busy: 0.5 });
  await router.addPeer({ key: 'cem', ...member });
  for (let count = 0; count < 10; count++) await router.consume({ key: 'cem', producerId: String(count) });
  expect(router.load).toEqual({ consumers: 100 + 15, busy: 0.5 });
  await router.closeConsumers({ consumerIds: ['0', '1'] });
  await router.removePeer({ key: 'ann' });
  expect(router.load.consumers).toBe(100 - 12 + 12);
});

it('adds a peer without what its node does not know, because it runs an older version', async () => {
  const requests: object[] = [];
  const router = open((request) => {
    requests.push(request);
    if ('consents' in request) throw new ParleyError('VALIDATION_ERROR', '✖ Unrecognized key: "consents"');
  });
  const member = { key: 'ann', rtpCapabilities: { codecs: [] }, multiparty: true };
  await router.addPeer({ ...member, consents: false });
  const at = { routerId: router.id };
  expect(requests).toEqual([
    { ...at, ...member, consents: false },
    { ...at, ...member },
  ]);
});
