import type { Logger } from 'pino';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { LocalRouter } from '../router/LocalRouter.ts';
import { payloadTypesOf } from '../router/payloadTypes.ts';
import type { RouterFactory } from '../room/RouterFactory.ts';
import type { RouterEvent } from '../router/routerOperations.ts';
import type { RpcRequest, RpcResponse } from './rpc.ts';

interface Hosted {
  router: LocalRouter;
  /** The node that owns its room. */
  owner: string;
  roomId: string;
  mapping: string;
  /** Whether it was in the owner's last list of routers in use. */
  isKept: boolean;
}

type NotifyOwner = (owner: string, routerId: string, event: RouterEvent) => void;

/** Routers of other nodes' rooms, on this node's workers. Each accepts requests only from the node that opened it. */
export class RouterHost {
  readonly #factory: RouterFactory;
  readonly #log: Logger;
  readonly #routers = new Map<string, Hosted>();
  #notifyOwner: NotifyOwner = () => undefined;

  constructor(factory: RouterFactory, log: Logger) {
    this.#factory = factory;
    this.#log = log;
  }

  onEvent(notify: NotifyOwner): void {
    this.#notifyOwner = notify;
  }

  get size(): number {
    return this.#routers.size;
  }

  get routers(): LocalRouter[] {
    return [...this.#routers.values()].map(({ router }) => router);
  }

  /** Closes a router. Does nothing when this owner has no such router here. */
  close(owner: string, routerId: string): void {
    if (this.#routers.get(routerId)?.owner === owner) this.#close(routerId);
  }

  /** Closes the routers of an owner that is dead. Its rooms have other owners now. */
  closeOf(owner: string): void {
    for (const [routerId, hosted] of this.#routers) if (hosted.owner === owner) this.#close(routerId);
  }

  closeAll(): void {
    for (const routerId of [...this.#routers.keys()]) this.#close(routerId);
  }

  /** Closes routers whose owner is not alive, in case its death was not reported. */
  closeOrphans(isAlive: (nodeId: string) => boolean): void {
    for (const [routerId, { owner }] of this.#routers) if (!isAlive(owner)) this.#close(routerId);
  }

  async open(
    owner: string,
    { routerId, roomId, payloadTypes }: RpcRequest<'part.open'>,
  ): Promise<RpcResponse<'part.open'>> {
    const mapping = payloadTypesOf(payloadTypes);
    const alike = [...this.#routers.values()].filter(
      (other) => other.owner === owner && other.roomId === roomId && other.mapping === mapping,
    );
    const router = await this.#factory.openBeside(
      alike.map((other) => other.router),
      (_router, event) => {
        if (event.name === 'died') this.#routers.delete(routerId);
        this.#notifyOwner(owner, routerId, event);
      },
      payloadTypes,
    );
    if (router.isClosed) throw noRouter();
    this.#routers.set(routerId, { router, owner, roomId, mapping, isKept: true });
    this.#log.info({ roomId, partId: routerId, owner }, 'opened a router for a room of another node');
    return { workers: Math.max(1, this.#factory.workersWithout([]).length), load: router.load };
  }

  /** Records which routers an owner uses. @returns those that do not exist, and the loads of the others */
  keep(owner: string, routerIds: string[]): RpcResponse<'part.keep'> {
    const used = new Set(routerIds);
    for (const [routerId, hosted] of this.#routers) {
      if (hosted.owner !== owner || used.has(routerId)) hosted.isKept = true;
      // The list may be older than a router that was just opened. A router is closed once two lists in a row do not contain it.
      else if (hosted.isKept) hosted.isKept = false;
      else this.#close(routerId);
    }
    const isThere = (routerId: string) => this.#routers.get(routerId)?.owner === owner;
    const there = routerIds.filter(isThere);
    return {
      missing: routerIds.filter((routerId) => !isThere(routerId)),
      loads: Object.fromEntries(there.map((routerId) => [routerId, this.router(owner, routerId).load])),
    };
  }

  /** @throws ParleyError NOT_FOUND when this owner has no such router here */
  router(owner: string, routerId: string): LocalRouter {
    const hosted = this.#routers.get(routerId);
    if (hosted?.owner !== owner) throw noRouter();
    return hosted.router;
  }

  #close(routerId: string): void {
    this.#routers.get(routerId)?.router.close();
    this.#routers.delete(routerId);
  }
}

const noRouterReason = 'no_such_part';
const noRouter = () =>
  new ParleyError('NOT_FOUND', 'This node has no such router: it has lost or closed it.', {
    reason: noRouterReason,
  });

export const isNoRouter = (error: unknown): boolean =>
  error instanceof ParleyError && error.reason === noRouterReason;
