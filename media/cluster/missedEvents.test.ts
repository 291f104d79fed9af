import { expect, it } from 'vitest';
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
