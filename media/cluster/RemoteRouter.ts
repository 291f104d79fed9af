import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { callNode } from './callNode.ts';
import { type MediaLink } from './MediaLink.ts';
import { clientOf, type AnswerOf, type RequestOf } from '../operations.ts';
import { PeerLoads } from '../router/PeerLoads.ts';
import { isUnreachable, unreachable } from '../router/unreachable.ts';
import type { PayloadTypes } from '../router/payloadTypes.ts';
import { isNoRouter } from './RouterHost.ts';
import type { OnRouterEvent } from '../room/Neighbours.ts';
import type { RoomRouter, RouterLoad } from '../router/RoomRouter.ts';
import { routerOperations, type RouterEvent, type RouterOperations } from '../router/routerOperations.ts';
import type { RpcName, RpcRequest, RpcResponse } from './rpc.ts';

type RouterMap = typeof routerOperations;

interface RemoteRouterOptions {
  nodeId: string;
  /** The load at which its worker is full, in consumers of large videos. */
  consumersPerWorker: number;
  /** The link to its node; null when the node is dead. */
  link: () => Promise<MediaLink | null>;
  /** The load of its node, 0 to 1. It counts for nodes of earlier releases, which do not report that of the router's worker. */
  nodeLoad: () => number;
  onEvent: OnRouterEvent;
  onClosed: (router: RemoteRouter) => void;
}

/** The pause before a request is repeated. It grows with each attempt. */
const [retryMs, maxRetryMs] = [200, 5_000];

/** A room's router that runs on another node. Each operation is a request to that node. */
export class RemoteRouter extends clientOf(routerOperations) implements RoomRouter {
  readonly id = randomUUID();
  readonly nodeId: string;
  readonly #options: RemoteRouterOptions;
  /** The consumers on this router, each with the key of its peer and with its producer. */
  readonly #consumers = new Map<string, { key: string; producerId: string }>();
  readonly #loads: PeerLoads;
  /** The sum of its peers' loads. */
  #own = 0;
  protected override readonly overrides: Partial<RouterOperations> = {
    addPeer: async (request) => {
      const transports = await this.send('addPeer', request);
      this.#loads.add(request.key, request);
      return transports;
    },
    addPlainPeer: async (request) => {
      const ends = await this.send('addPlainPeer', request);
      this.#loads.add(request.key, {});
      return ends;
    },
    removePeer: async ({ key }) => {
      this.#forget((consumer) => consumer.key === key);
      this.#loads.remove(key);
      await this.#removePeer(key);
    },
    closeProducer: async ({ producerId }) => {
      this.#forget((consumer) => consumer.producerId === producerId);
      await this.send('closeProducer', { producerId });
    },
    closeConsumers: async ({ consumerIds }) => {
      for (const id of consumerIds) this.#forgetOne(id);
      await this.send('closeConsumers', { consumerIds });
    },
    consume: async ({ key, producerId }) => {
      const { consumer } = await this.send('consume', { key, producerId });
      if (consumer) {
        this.#consumers.set(consumer.id, { key, producerId });
        this.#loads.addConsumers(key, 1);
      }
      return { consumer };
    },
  };
  #workers = 1;
  /** What its node has reported last: the loads of other rooms' peers on its worker, and how busy the worker's core is. */
  #reported: { others: number; busy: number } | null = null;
  #open = false;
  #closed = false;

  constructor(options: RemoteRouterOptions) {
    super();
    this.nodeId = options.nodeId;
    this.#options = options;
    this.#loads = new PeerLoads(options.consumersPerWorker, (by) => (this.#own += by));
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Whether its node has confirmed that it is open. */
  get isOpen(): boolean {
    return this.#open;
  }

  get load(): RouterLoad {
    const own = this.#own;
    if (!this.#reported) return { consumers: own, busy: this.#options.nodeLoad() };
    return { consumers: own + this.#reported.others, busy: this.#reported.busy };
  }

  /** Notes the load of its worker, which its node has measured. */
  onLoad({ consumers, busy }: RouterLoad): void {
    this.#reported = { others: Math.max(0, consumers - this.#own), busy };
  }

  async open(roomId: string, payloadTypes?: PayloadTypes): Promise<void> {
    const { workers, load } = await this.#call('part.open', { routerId: this.id, roomId, payloadTypes });
    this.#workers = workers;
    if (load) this.onLoad(load);
    this.#open = true;
  }

  /** The number of workers that its node had when this router was opened. Each of them may have a router of the room. */
  get workersOfNode(): number {
    return this.#workers;
  }

  /** Handles an event that its node sent. */
  onEvent(event: RouterEvent): void {
    if (event.name === 'died') this.die();
    else if (!this.#closed) this.#options.onEvent(this, event);
  }

  close(): void {
    if (this.#closed) return;
    this.#end();
    // If this fails, the node closes the router once `part.keep` no longer lists it.
    this.#request('part.close', { routerId: this.id }).catch(() => undefined);
  }

  /** Ends the router after its worker or node died. */
  die(): void {
    if (this.#closed) return;
    this.#end();
    this.#options.onEvent(this, { name: 'died' });
  }

  protected async send<Name extends keyof RouterMap>(
    name: Name,
    request: RequestOf<RouterMap, Name>,
  ): Promise<AnswerOf<RouterMap, Name>> {
    const answer = await this.#call(`part.${name}`, { routerId: this.id, ...request } as never);
    return answer;
  }

  /** Repeats the request until its node can be reached: until then, the device would go on receiving what the others send. */
  async #removePeer(key: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.send('removePeer', { key });
      } catch (error) {
        if (this.#closed || !isUnreachable(error)) throw error;
      }
      await delay(Math.min(retryMs * attempt, maxRetryMs), undefined, { ref: false });
    }
  }

  #forget(isOver: (consumer: { key: string; producerId: string }) => boolean): void {
    for (const [id, consumer] of this.#consumers) if (isOver(consumer)) this.#forgetOne(id);
  }

  #forgetOne(id: string): void {
    const consumer = this.#consumers.get(id);
    if (consumer && this.#consumers.delete(id)) this.#loads.addConsumers(consumer.key, -1);
  }

  #end(): void {
    this.#closed = true;
    this.#options.onClosed(this);
  }

  async #call<Name extends RpcName>(name: Name, request: RpcRequest<Name>): Promise<RpcResponse<Name>> {
    if (this.#closed) throw unreachable();
    try {
      return await this.#request(name, request);
    } catch (error) {
      // The router died, but its `died` event was lost.
      if (isNoRouter(error)) this.die();
      throw error;
    }
  }

  async #request<Name extends RpcName>(name: Name, request: RpcRequest<Name>): Promise<RpcResponse<Name>> {
    const link = await this.#options.link();
    if (!link) throw unreachable();
    return callNode(link, name, request);
  }
}
