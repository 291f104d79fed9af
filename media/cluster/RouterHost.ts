import type { Logger } from 'pino';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { LocalRouter } from '../router/LocalRouter.ts';
import { payloadTypesOf } from '../router/payloadTypes.ts';
import type { RouterFactory } from '../room/RouterFactory.ts';
import type { RouterEvent } from '../router/RoomRouter.ts';
import type { routerRpc } from './routerRpc.ts';
import type { RpcRequest, RpcResponse } from './rpc.ts';

export type RouterRpcName = keyof typeof routerRpc;

interface Hosted {
  router: LocalRouter;
  /** The node that owns its room. */
  owner: string;
  roomId: string;
  mapping: string;
  /** Whether it was in the owner's last list of routers in use. */
  isKept: boolean;
}

export type RouterHandlers = {
  [Name in RouterRpcName]: (owner: string, request: RpcRequest<Name>) => Promise<RpcResponse<Name>>;
};

type NotifyOwner = (owner: string, routerId: string, event: RouterEvent) => void;

/** Routers of other nodes' rooms, on this node's workers. Each accepts requests only from the node that opened it. */
export class RouterHost {
  readonly handlers: RouterHandlers;
  readonly #factory: RouterFactory;
  readonly #log: Logger;
  readonly #routers = new Map<string, Hosted>();
  #notifyOwner: NotifyOwner = () => undefined;

  constructor(factory: RouterFactory, log: Logger) {
    this.#factory = factory;
    this.#log = log;
    this.handlers = this.#createHandlers();
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

  #createHandlers(): RouterHandlers {
    // Synchronous, so that requests are executed in the order in which they arrive.
    const at = (owner: string, routerId: string) => this.#router(owner, routerId);
    const done = async (doing: Promise<unknown>) => {
      await doing;
      return {};
    };
    return {
      'part.open': (owner, request) => this.#open(owner, request),
      'part.close': (owner, { routerId }) => {
        if (this.#routers.get(routerId)?.owner === owner) this.#close(routerId);
        return Promise.resolve({});
      },
      'part.keep': (owner, { routerIds }) => Promise.resolve(this.#keep(owner, routerIds)),
      'part.addPeer': (owner, { routerId, key, ...options }) => at(owner, routerId).addPeer(key, options),
      'part.addPlainPeer': (owner, { routerId, key, ...options }) =>
        at(owner, routerId).addPlainPeer(key, options),
      'part.removePeer': (owner, { routerId, key }) => done(at(owner, routerId).removePeer(key)),
      'part.connectTransport': (owner, { routerId, key, transportId, dtlsParameters }) =>
        done(at(owner, routerId).connectTransport(key, transportId, dtlsParameters)),
      'part.restartIce': (owner, { routerId, key, transportId }) =>
        at(owner, routerId).restartIce(key, transportId),
      'part.produce': (owner, { routerId, key, ...producer }) => at(owner, routerId).produce(key, producer),
      'part.setProducerPaused': (owner, { routerId, producerId, paused }) =>
        done(at(owner, routerId).setProducerPaused(producerId, paused)),
      'part.countPackets': async (owner, { routerId, producerIds }) => ({
        counts: await at(owner, routerId).countPackets(producerIds),
      }),
      'part.closeProducer': (owner, { routerId, producerId }) =>
        done(at(owner, routerId).closeProducer(producerId)),
      'part.consume': async (owner, { routerId, key, producerId }) => ({
        consumer: await at(owner, routerId).consume(key, producerId),
      }),
      'part.setConsumers': (owner, { routerId, settings }) =>
        done(at(owner, routerId).setConsumers(settings)),
      'part.closeConsumers': (owner, { routerId, consumerIds }) =>
        done(at(owner, routerId).closeConsumers(consumerIds)),
      'part.requestKeyFrame': (owner, { routerId, consumerId }) =>
        done(at(owner, routerId).requestKeyFrame(consumerId)),
      'part.openPipe': (owner, { routerId, pipeId, secure }) => at(owner, routerId).openPipe(pipeId, secure),
      'part.connectPipe': (owner, { routerId, pipeId, far }) =>
        done(at(owner, routerId).connectPipe(pipeId, far)),
      'part.closePipe': (owner, { routerId, pipeId }) => done(at(owner, routerId).closePipe(pipeId)),
      'part.sendOverPipe': (owner, { routerId, pipeId, producerId }) =>
        at(owner, routerId).sendOverPipe(pipeId, producerId),
      'part.takeFromPipe': (owner, { routerId, pipeId, producer }) =>
        done(at(owner, routerId).takeFromPipe(pipeId, producer)),
    };
  }

  async #open(
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
    return { workers: Math.max(1, this.#factory.workersWithout([]).length) };
  }

  #keep(owner: string, routerIds: string[]): { missing: string[] } {
    const used = new Set(routerIds);
    for (const [routerId, hosted] of this.#routers) {
      if (hosted.owner !== owner || used.has(routerId)) hosted.isKept = true;
      // The list may be older than a router that was just opened. A router is closed once two lists in a row do not contain it.
      else if (hosted.isKept) hosted.isKept = false;
      else this.#close(routerId);
    }
    return { missing: routerIds.filter((routerId) => this.#routers.get(routerId)?.owner !== owner) };
  }

  #router(owner: string, routerId: string): LocalRouter {
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
