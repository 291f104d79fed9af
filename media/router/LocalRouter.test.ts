import { expect, it, onTestFinished, vi } from 'vitest';
import { newPeer, openLocal, vp8 } from '../../test/harness/media/mediaFixtures.ts';
import { RouterPeer } from './RouterPeer.ts';

it('closes what is created for a peer that is removed in the meantime', async () => {
  const cluster = await openLocal();
  onTestFinished(() => cluster.close());
  await cluster.openRoom('room');
  const [router] = await cluster.routersOf('room');
  if (!router) throw new Error('a room has a router');
  const { rtpCapabilities } = newPeer('peer');
  for (const key of ['ann', 'ben']) await router.addPeer({ key, rtpCapabilities, multiparty: true });
  const publish = () =>
    router.produce({
      key: 'ann',
      kind: 'video',
      rtpParameters: vp8(),
      paused: false,
      keyFrameIntervalMs: 0,
      isSpeech: false,
    });
  const { producerId } = await publish();
  const consumers = vi.spyOn(RouterPeer.prototype, 'consume');
  const producers = vi.spyOn(RouterPeer.prototype, 'produce');
  onTestFinished(() => [consumers, producers].forEach((spy) => spy.mockRestore()));
  const areClosed = ({ mock }: { mock: { settledResults: { value: unknown }[] } }) =>
    mock.settledResults.map(({ value }) => (value as { closed: boolean }).closed);

  const consuming = router.consume({ key: 'ben', producerId });
  await router.removePeer({ key: 'ben' });
  expect(await consuming).toEqual({ consumer: null });
  expect(areClosed(consumers)).toEqual([true]);

  const producing = publish();
  await router.removePeer({ key: 'ann' });
  await expect(producing).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(areClosed(producers)).toEqual([true]);
});
