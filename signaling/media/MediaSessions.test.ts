import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { memoryLimiters } from '../../platform/limits/limiters.ts';
import { LimitFactory } from '../../platform/limits/Limits.ts';
import { nodes as nodesTable } from '../../platform/node/tables.ts';
import { newPeer } from '../../test/harness/media/mediaFixtures.ts';
import { silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { inFront, NetworkProxy } from '../../test/harness/nodes/NetworkProxy.ts';
import { TestNodes } from '../../test/harness/nodes/TestNodes.ts';
import { until } from '../../test/harness/until.ts';
import { createIo } from '../socket/createIo.ts';
import { Notifier } from '../socket/Notifier.ts';
import { MediaSessions } from './MediaSessions.ts';
import { TurnServers } from './TurnServers.ts';

const roomId = 'room_1';

it('closes the media of a former participant once the node of the room can be reached again', async ({
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
  const near = await nodes.open('signaling');
  await nodes.waitForEachOther(far, near);
  const io = createIo({ httpServer: null, adapter: null, isAllowedOrigin: () => true, log: silent });
  const limit = new LimitFactory(memoryLimiters).perWallet('media', 1_000, 60);
  const ignore = () => undefined;
  const sessions = new MediaSessions({
    cluster: near.media,
    notifier: new Notifier(io),
    io,
    turn: new TurnServers({ urls: () => [], secret: () => undefined, ttlSeconds: 60 }),
    qualityLog: { report: ignore, event: ignore, left: ignore },
    joining: limit,
    sending: limit,
    log: silent,
  });
  onTestFinished(() => sessions.close());
  await sessions.openRoom(roomId);
  const room = near.media.room(roomId);
  for (const name of ['alice', 'bob']) await room.join({ ...newPeer(name), revision: 1 });

  proxy.cut();
  await expect(room.peers({})).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await sessions.evict(roomId, { identity: 'bob', revision: 2 }, null);
  const there = async () => (await far.local.room(roomId).peers({})).map(({ peerId }) => peerId);
  expect(await there()).toEqual(['alice', 'bob']);
  proxy.restore();
  await until(async () => (await there()).length === 1, 'the media is closed');
  expect(await there()).toEqual(['alice']);
});
