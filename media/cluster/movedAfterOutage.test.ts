import { expect, it } from 'vitest';
import { newPeer, record } from '../../test/harness/media/mediaFixtures.ts';
import { silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { until } from '../../test/harness/until.ts';
import type { MediaLinks } from './MediaLinks.ts';
import { RemoteMediaCluster } from './RemoteMediaCluster.ts';
import type { Owner, RoomOwners } from './RoomOwners.ts';

it('moves a room off a dead node, and tells its peers, however long the database is away', async () => {
  let owner: Owner | null = null;
  let failures = 0;
  const owners = {
    find: () => (failures-- > 0 ? Promise.reject(new Error('the database is away')) : Promise.resolve(owner)),
    claim: (_roomId: string, nodeId: string) =>
      Promise.resolve((owner = { nodeId, epoch: (owner?.epoch ?? 0) + 1 })),
  } as unknown as RoomOwners;
  const living = new Set(['one', 'two']);
  let die = (_nodeId: string) => {};
  const ignore = () => undefined;
  const nodes = {
    ...{ onEvent: ignore, onEnded: ignore, onMissed: ignore, onDraining: ignore },
    onDied: (handler: typeof die) => {
      const former = die;
      die = (nodeId) => (former(nodeId), handler(nodeId));
    },
    candidates: () => [...living].map((id) => ({ id, load: 0, cpu: 0, draining: false, seenMsAgo: 0 })),
    link: (id: string) => Promise.resolve(living.has(id) ? { call: () => Promise.resolve({}) } : null),
  } as unknown as MediaLinks;
  const media = new RemoteMediaCluster({ owners, nodes, ownId: () => 'own', log: silent });
  const { roomRestarted } = record(media)('room');
  await media.openRoom('room');
  await media.room('room').join(newPeer('alice'));
  failures = 7;
  const { nodeId } = owner as unknown as Owner;
  living.delete(nodeId);
  die(nodeId);
  await until(() => roomRestarted.length > 0, 'the room restarts');
  expect(roomRestarted.map(({ lost }) => lost.map(({ peerId }) => peerId))).toEqual([['alice']]);
  await media.close();
});
