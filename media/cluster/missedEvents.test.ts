import { expect, it } from 'vitest';
import { SyntheticPeer } from '../../test/harness/clients/SyntheticPeer.ts';
import { openDistant } from '../../test/harness/nodes/openDistant.ts';
import { until } from '../../test/harness/until.ts';
import { newPeer, opus, record } from '../../test/harness/media/mediaFixtures.ts';

const roomId = 'room';

it('reports missed events to the peers of a room after the link to its node was down, and resume returns what they missed', async ({
  onTestFinished,
}) => {
  const { far, near, proxy } = await openDistant(onTestFinished);
  const { media } = near;
  const seen = record(media);
  await media.openRoom(roomId);
  for (const name of ['alice', 'bob']) await media.room(roomId).join(newPeer(name));

  proxy.cut();
  await expect(media.room(roomId).peers({})).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  const { producerId } = await far.local
    .room(roomId)
    .produce({ peerId: 'alice', source: 'microphone', rtpParameters: opus(), paused: false });
  proxy.restore();
  const { eventsMissed, consumer } = seen(roomId);
  await until(() => eventsMissed.length > 0, 'the event about missed events');
  expect(eventsMissed.map(({ peers }) => peers.map(({ peerId }) => peerId))).toEqual([['alice', 'bob']]);
  expect(consumer).toEqual([]);
  const { consumers } = await media.room(roomId).resume({ peerId: 'bob', identity: 'bob', tag: {} });
  expect(consumers).toMatchObject([{ from: { peerId: 'alice' }, consumer: { producerId } }]);
});

it('reports again that a peer lost its connection while the link was down, when it is resumed', async ({
  onTestFinished,
}) => {
  const { far, near, proxy } = await openDistant(onTestFinished);
  const { media } = near;
  await media.openRoom(roomId);
  const host = await SyntheticPeer.join(media, roomId, 'host');
  const viewer = await SyntheticPeer.join(media, roomId, 'viewer', { isViewer: true });
  onTestFinished(() => host.close());
  await host.speak();
  await until(async () => (await viewer.inbound('host', 'microphone'))?.packets, 'the viewer receives it');

  const gone: Record<'far' | 'near', string[]> = { far: [], near: [] };
  far.local.on('disconnected', ({ peer }) => gone.far.push(peer.peerId));
  media.on('disconnected', ({ peer }) => gone.near.push(peer.peerId));
  const { eventsMissed } = record(media)(roomId);
  proxy.cut();
  await expect(media.room(roomId).peers({})).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  viewer.close();
  await until(() => gone.far.includes('viewer'), 'the lost connection');
  proxy.restore();
  await until(() => eventsMissed.length > 0, 'the event about missed events');
  expect(gone.near).toEqual([]);
  await media.room(roomId).resume({ peerId: 'viewer', identity: 'viewer', tag: {} });
  // It comes over the link before the answer.
  expect(gone.near).toEqual(['viewer']);
});
