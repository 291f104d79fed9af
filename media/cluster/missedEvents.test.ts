import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { nodes as nodesTable } from '../../platform/node/tables.ts';
import { inFront, NetworkProxy } from '../../test/harness/nodes/NetworkProxy.ts';
import { TestNodes } from '../../test/harness/nodes/TestNodes.ts';
import { until } from '../../test/harness/until.ts';
import { newPeer, opus, record } from '../../test/harness/media/mediaFixtures.ts';

const roomId = 'room';

it('reports missed events to the peers of a room after the link to its node was down, and resume returns what they missed', async ({
  onTestFinished,
}) => {
  const nodes = await TestNodes.create();
  onTestFinished(() => nodes.close());
  const far = await nodes.open('media');
  const own = eq(nodesTable.id, far.registry.id);
  const [row] = await far.db.select().from(nodesTable).where(own);
  const port = Number(row?.address?.split(':')[1]);
  // The signalling node reaches the media node over a proxy that can be cut.
  const proxy = await NetworkProxy.create([port], []);
  onTestFinished(() => proxy.close());
  await far.db
    .update(nodesTable)
    .set({ address: `${inFront}:${port}` })
    .where(own);
  const { media, ...near } = await nodes.open('signaling');
  const seen = record(media);
  await nodes.waitForEachOther(far, { media, ...near });
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
