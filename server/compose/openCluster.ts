import { setTimeout as delay } from 'node:timers/promises';
import type { LocalMediaCluster } from '../../media/cluster/LocalMediaCluster.ts';
import { serveLinks } from '../../media/cluster/linkServer.ts';
import { RemoteRouters } from '../../media/cluster/RemoteRouters.ts';
import type { MediaCluster } from '../../media/MediaCluster.ts';
import { MediaNode } from '../../media/cluster/MediaNode.ts';
import { RemoteMediaCluster } from '../../media/cluster/RemoteMediaCluster.ts';
import { RoomOwners } from '../../media/cluster/RoomOwners.ts';
import type { Closer } from '../../platform/Closer.ts';
import type { Database } from '../../platform/database/database.ts';
import { hostInUrl } from '../../platform/hostInUrl.ts';
import { serverVersion } from '../api/serverVersion.ts';
import { MediaLinks } from '../../media/cluster/MediaLinks.ts';
import type { Parts } from './Parts.ts';
import { NodeRegistry } from '../../platform/node/NodeRegistry.ts';
import type { NodeTurn } from '../../platform/node/tables.ts';
import { appliesRules } from '../../platform/node/OwnNode.ts';

interface ClusterOptions extends Pick<
  Parts,
  'config' | 'db' | 'pool' | 'jobs' | 'secrets' | 'closers' | 'log'
> {
  urgent: Database;
  /** The media of this process; null on a node without the role media. */
  local: LocalMediaCluster | null;
  turn: NodeTurn | null;
}

interface OpenCluster {
  registry: NodeRegistry;
  /** The media of all nodes; null on a node with media only. */
  media: MediaCluster | null;
  /** Moves this node's rooms to other nodes, if there are other nodes. Must run before anything is closed. */
  drain: () => Promise<void>;
}

const cleanUpMs = 30_000;
const drainCheckMs = 100;

/** Joins the cluster. Without REDIS_URL this is a single node, which uses only its own media. */
export async function openCluster(options: ClusterOptions): Promise<OpenCluster> {
  const { config, db, urgent, jobs, local, turn, closers, log } = options;
  const usage = () => local?.usageOf() ?? { load: 0, cpu: 0 };
  const join = (address: string | null) =>
    NodeRegistry.join({
      db: urgent,
      jobs,
      log,
      roles: config.ROLES,
      address,
      usage,
      release: serverVersion,
      turn,
      // The embedded PostgreSQL is used by this server only: see DataDirLock.
      pool: config.DATABASE_URL === undefined ? null : options.pool,
    });
  if (!config.REDIS_URL) {
    const registry = await join(null);
    closers.push(['node', () => registry.close()]);
    // On a single node there is nothing to drain, because no other node can take its rooms.
    return { registry, media: local, drain: () => Promise.resolve(registry.makeRoom()) };
  }

  const keys = options.secrets.keys('links between nodes');
  const own = local && new MediaNode(local, log);
  const host = config.CLUSTER_HOST ?? config.HOST;
  let registry: NodeRegistry | null = null;
  const links =
    own &&
    (await serveLinks({ node: own, host, port: config.CLUSTER_PORT, keys, log, id: () => registry?.id }));
  if (links) closers.push(['links from other nodes', () => links.close()]);
  // Other nodes connect as soon as this node has joined, so it must already be listening by then.
  registry = await join(`${hostInUrl(host)}:${config.CLUSTER_PORT}`);
  const owners = new RoomOwners(db);
  if (own && links) cleanUpRooms(own, owners, registry, links, closers);
  const nodes = new MediaLinks({ registry, keys, own, log });
  closers.push(['links to other nodes', () => nodes.close()]);
  if (own && local) openRouters({ registry, own, local, nodes, closers, log });
  const media = appliesRules(config.ROLES)
    ? new RemoteMediaCluster({ owners, nodes, ownId: () => registry.id, log })
    : null;
  if (media) closers.push(['rooms', () => media.close()]);
  closers.push(['node', () => registry.close()]);
  return { registry, media, drain: () => drain(registry, owners, local, config.DRAIN_SECONDS * 1_000) };
}

/**
 * Stops accepting new rooms. Then waits until this node's rooms and their participants have moved to other nodes, but no longer than the
 * time limit. A failure of the database does not end the wait: the rooms move when it is back.
 */
export async function drain(
  registry: Pick<NodeRegistry, 'id' | 'living' | 'drain'>,
  owners: Pick<RoomOwners, 'of'>,
  local: Pick<LocalMediaCluster, 'connectedPeers' | 'host'> | null,
  limitMs: number,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  // If it fails, the next heartbeat says that this node drains.
  await registry.drain().catch(() => undefined);
  const others = () =>
    registry.living.some(
      ({ id, roles, draining }) => id !== registry.id && roles.includes('media') && !draining,
    );
  const ownsNone = () =>
    owners.of(registry.id).then(
      ({ size }) => size === 0,
      () => false,
    );
  while (local && performance.now() < deadline && others()) {
    const isNeeded = local.connectedPeers > 0 || local.host.routers.some(({ isRelaying }) => isRelaying);
    if (!isNeeded && (await ownsNone())) break;
    await delay(drainCheckMs);
  }
}

/** Closes rooms that this node still has but no longer owns, because they moved or closed while the node was unreachable. */
function cleanUpRooms(
  own: MediaNode,
  owners: RoomOwners,
  registry: NodeRegistry,
  links: { disconnectAll(): void },
  closers: Closer[],
): void {
  registry.on('ended', () => {
    links.disconnectAll();
    void own.closeAll();
  });
  const timer = setInterval(() => {
    // While draining, participants who have not moved yet still use the rooms on this node.
    if (registry.isDraining) return;
    const known = own.rooms;
    owners
      .of(registry.id)
      .then((owned) => own.closeDisowned(owned, known))
      .catch(() => undefined);
  }, cleanUpMs);
  closers.push(['cleaning up rooms', () => clearInterval(timer)]);
}

/** Lets the rooms of this node use routers on other nodes, and lends routers of this node to rooms of other nodes. */
function openRouters({
  registry,
  own,
  local,
  nodes,
  closers,
  log,
}: Pick<ClusterOptions, 'closers' | 'log'> & {
  registry: NodeRegistry;
  own: MediaNode;
  local: LocalMediaCluster;
  nodes: MediaLinks;
}): void {
  const routers = new RemoteRouters({
    nodes,
    ownId: () => registry.id,
    consumersPerWorker: local.consumersPerWorker,
    log,
  });
  local.setNeighbours(routers);
  registry.on('died', (nodeId) => own.onDied(nodeId));
  registry.on('seen', () => local.host.closeOrphans((nodeId) => registry.isAlive(nodeId)));
  nodes.onDraining((nodeId) => nodeId !== registry.id && void local.vacate(nodeId));
  closers.push(['routers on other nodes', () => routers.close()]);
}
