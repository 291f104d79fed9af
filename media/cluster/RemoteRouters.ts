import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import type { PayloadTypes } from '../router/payloadTypes.ts';
import type { MediaLinks } from './MediaLinks.ts';
import { RemoteRouter } from './RemoteRouter.ts';
import type { NodeEvent } from './rpc.ts';
import type { Neighbours, OnRouterEvent } from '../room/Neighbours.ts';
import type { RoomRouter } from '../router/RoomRouter.ts';
import type { Candidate } from '../room/placement.ts';

interface RemoteRoutersOptions {
  nodes: MediaLinks;
  /** This node's id in its present life. */
  ownId: () => string;
  consumersPerWorker: number;
  log: Logger;
}

const keepMs = 5_000;

/**
 * Routers on other nodes that serve this node's rooms. Every few seconds, this node sends each of those nodes a list of the routers it uses
 * there, and the node replies with those it has lost and with the loads of the others.
 */
export class RemoteRouters implements Neighbours {
  readonly #options: RemoteRoutersOptions;
  readonly #routers = new Map<string, RemoteRouter>();
  /** Nodes that have, or once had, a router of this node's rooms. */
  readonly #hosts = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: RemoteRoutersOptions) {
    this.#options = options;
    const { nodes } = options;
    nodes.onDied((nodeId) => {
      this.#hosts.delete(nodeId);
      for (const router of [...this.#routers.values()]) if (router.nodeId === nodeId) router.die();
    });
    nodes.onEvent((name, event) => {
      if (name !== 'router') return;
      const { routerId, event: routerEvent } = event as NodeEvent['router'];
      this.#routers.get(routerId)?.onEvent(routerEvent);
    });
    // The random delay keeps nodes from all sending at the same time.
    this.#timer = setInterval(() => void this.#keep(), keepMs + randomInt(500)).unref();
  }

  candidates(): Candidate[] {
    const own = this.#options.ownId();
    return this.#options.nodes.candidates().filter(({ id }) => id !== own);
  }

  candidate(nodeId: string): Candidate | undefined {
    return this.#options.nodes.candidate(nodeId);
  }

  async openRouter(
    nodeId: string,
    roomId: string,
    onEvent: OnRouterEvent,
    payloadTypes?: PayloadTypes,
  ): Promise<RoomRouter> {
    const { nodes, consumersPerWorker } = this.#options;
    const router = new RemoteRouter({
      nodeId,
      consumersPerWorker,
      link: () => nodes.link(nodeId),
      nodeLoad: () => nodes.candidate(nodeId)?.load ?? 0,
      onEvent,
      onClosed: () => this.#routers.delete(router.id),
    });
    this.#routers.set(router.id, router);
    this.#hosts.add(nodeId);
    try {
      await router.open(roomId, payloadTypes);
    } catch (error) {
      router.close();
      throw error;
    }
    return router;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #keep(): Promise<void> {
    await Promise.all([...this.#hosts].map((nodeId) => this.#keepOn(nodeId)));
  }

  async #keepOn(nodeId: string): Promise<void> {
    const routers = [...this.#routers.values()].filter((router) => router.nodeId === nodeId && router.isOpen);
    try {
      const link = await this.#options.nodes.link(nodeId);
      const answer = await link?.call('part.keep', { routerIds: routers.map(({ id }) => id) });
      for (const id of answer?.missing ?? []) this.#routers.get(id)?.die();
      for (const [id, load] of Object.entries(answer?.loads ?? {})) this.#routers.get(id)?.onLoad(load);
    } catch (err) {
      this.#options.log.debug({ err, node: nodeId }, 'routers on another node could not be renewed');
    }
  }
}
