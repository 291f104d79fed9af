import { expect, it } from 'vitest';
import { memoryLimiters } from '../../platform/limits/limiters.ts';
import { LimitFactory } from '../../platform/limits/Limits.ts';
import { newPeer } from '../../test/harness/media/mediaFixtures.ts';
import { silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { openDistant } from '../../test/harness/nodes/openDistant.ts';
import { until } from '../../test/harness/until.ts';
import { createIo } from '../socket/createIo.ts';
import { Notifier } from '../socket/Notifier.ts';
import { MediaSessions } from './MediaSessions.ts';
import { TurnServers } from './TurnServers.ts';

const roomId = 'room_1';

it('closes the media of a former participant once the node of the room can be reached again', async ({
  onTestFinished,
}) => {
  const { far, near, proxy } = await openDistant(onTestFinished);
  const io = createIo({ httpServer: null, adapter: null, isAllowedOrigin: () => true, log: silent });
  const limits = new LimitFactory(memoryLimiters);
  const limit = limits.perWallet('media', 1_000, 60);
  const ignore = () => undefined;
  const sessions = new MediaSessions({
    cluster: near.media,
    notifier: new Notifier(io),
    io,
    turn: new TurnServers({ urls: () => [], secret: () => undefined, ttlSeconds: 60 }),
    qualityLog: { report: ignore, event: ignore, left: ignore },
    joining: limit,
    sending: limit,
    reporting: limits.perKey('reports', 1_000, 60),
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
