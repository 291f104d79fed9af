import { expect, it } from 'vitest';
import { RemoteRouter } from './RemoteRouter.ts';

/** A router on a node that accepts every request. */
function open(): RemoteRouter {
  const call = (name: string, { producerId }: { producerId?: string }) =>
    Promise.resolve(
      name === 'part.consume'
        ? { consumer: { id: producerId, producerId, kind: 'audio', rtpParameters: {} } }
        : {},
    );
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
