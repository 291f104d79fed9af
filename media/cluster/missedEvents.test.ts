import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { nodes as nodesTable } from '../../platform/node/tables.ts';
import { inFront, NetworkProxy } from '../../test/harness/NetworkProxy.ts';
import { TestNodes } from '../../test/harness/TestNodes.ts';
import { until } from '../../test/harness/until.ts';
import { newPeer, opus, record } from '../../test/harness/mediaWorld.ts';

const roomId = 'room';

it('peers of a room that could not be heard of for a moment are to look, and find what they missed', async ({
  onTestFinished,
}) => {
  const nodes = await TestNodes.create();
  onTestFinished(() => nodes.close());
  const far = await nodes.open('media');
  const own = eq(nodesTable.id, far.registry.id);
  const [row] = await far.db.select().from(nodesTable).where(own);
  const port = Number(row?.address?.split(':')[1]);
  // The signalling node's way to it leads over a line that can be cut.
  const line = await NetworkProxy.create([port], []);
  onTestFinished(() => line.close());
  await far.db
    .update(nodesTable)
    .set({ address: `${inFront}:${port}` })
    .where(own);
  const { media, ...near } = await nodes.open('signaling');
  const told = record(media);
  await nodes.meet(far, { media, ...near });
  await media.openRoom(roomId);
  for (const name of ['alice', 'bob']) await media.join(roomId, newPeer(name));

  line.cut();
  await expect(media.peers(roomId)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  const { producerId } = await far.local.produce(roomId, 'alice', {
    source: 'microphone',
    rtpParameters: opus(),
    paused: false,
  });
  line.restore();
  const { eventsMissed, consumer } = told(roomId);
  await until(() => eventsMissed.length > 0, 'the news that something was missed');
  expect(eventsMissed.map(({ peers }) => peers.map(({ peerId }) => peerId))).toEqual([['alice', 'bob']]);
  expect(consumer).toEqual([]);
  const { consumers } = await media.resume(roomId, { peerId: 'bob', identity: 'bob', tag: {} });
  expect(consumers).toMatchObject([{ from: { peerId: 'alice' }, consumer: { producerId } }]);
});
