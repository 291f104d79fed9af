import { randomUUID } from 'node:crypto';
import type { DtlsParameters, IceParameters } from '../../sdk/protocol/media.ts';
import { type MediaLink } from './MediaLink.ts';
import { unreachable } from '../router/unreachable.ts';
import type { PayloadTypes } from '../router/payloadTypes.ts';
import { isNoRouter, type RouterRpcName } from './RouterHost.ts';
import type { OnRouterEvent } from '../room/Neighbours.ts';
import type {
  ConsumerSetting,
  RouterConsumer,
  RouterLoad,
  RouterEvent,
  RouterPeerOptions,
  RouterProducer,
  PeerTransports,
  PipeAddress,
  PipedProducer,
  PlainEnds,
  PlainPeerOptions,
  ProducerCount,
  RoomRouter,
} from '../router/RoomRouter.ts';
import type { RpcRequest, RpcResponse } from './rpc.ts';

interface RemoteRouterOptions {
  nodeId: string;
  /** The link to its node; null when the node is dead. */
  link: () => Promise<MediaLink | null>;
  /** The load of its node, 0 to 1. */
  busy: () => number;
  onEvent: OnRouterEvent;
  onClosed: (router: RemoteRouter) => void;
}

/** A room's router that runs on another node. Each operation is a request to that node. */
export class RemoteRouter implements RoomRouter {
  readonly id = randomUUID();
  readonly nodeId: string;
  readonly #options: RemoteRouterOptions;
  /**
   * The consumers on this router, each with the key of its peer and with its producer. Their number counts as the router's load, because
   * consumers of other rooms on that node are unknown here.
   */
  readonly #consumers = new Map<string, { key: string; producerId: string }>();
  #workers = 1;
  #open = false;
  #closed = false;

  constructor(options: RemoteRouterOptions) {
    this.nodeId = options.nodeId;
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Whether its node has confirmed that it is open. */
  get isOpen(): boolean {
    return this.#open;
  }

  get load(): RouterLoad {
    return { consumers: this.#consumers.size, busy: this.#options.busy() };
  }

  async open(roomId: string, payloadTypes?: PayloadTypes): Promise<void> {
    const { workers } = await this.#call('part.open', { roomId, payloadTypes });
    this.#workers = workers;
    this.#open = true;
  }

  /** The number of workers that its node had when this router was opened. Each of them may have a router of the room. */
  get workersOfNode(): number {
    return this.#workers;
  }

  addPeer(key: string, options: RouterPeerOptions): Promise<PeerTransports> {
    return this.#call('part.addPeer', { key, ...options });
  }

  addPlainPeer(key: string, options: PlainPeerOptions): Promise<PlainEnds> {
    return this.#call('part.addPlainPeer', { key, ...options });
  }

  async removePeer(key: string): Promise<void> {
    this.#forget((consumer) => consumer.key === key);
    await this.#call('part.removePeer', { key });
  }

  async connectTransport(key: string, transportId: string, dtlsParameters: DtlsParameters): Promise<void> {
    await this.#call('part.connectTransport', { key, transportId, dtlsParameters });
  }

  restartIce(key: string, transportId: string): Promise<IceParameters> {
    return this.#call('part.restartIce', { key, transportId });
  }

  produce(key: string, producer: RouterProducer): Promise<{ producerId: string }> {
    return this.#call('part.produce', { key, ...producer });
  }

  async setProducerPaused(producerId: string, paused: boolean): Promise<void> {
    await this.#call('part.setProducerPaused', { producerId, paused });
  }

  async countPackets(producerIds: string[]): Promise<ProducerCount[]> {
    return (await this.#call('part.countPackets', { producerIds })).counts;
  }

  async closeProducer(producerId: string): Promise<void> {
    this.#forget((consumer) => consumer.producerId === producerId);
    await this.#call('part.closeProducer', { producerId });
  }

  async consume(key: string, producerId: string): Promise<RouterConsumer | null> {
    const { consumer } = await this.#call('part.consume', { key, producerId });
    if (consumer) this.#consumers.set(consumer.id, { key, producerId });
    return consumer;
  }

  async setConsumers(settings: ConsumerSetting[]): Promise<void> {
    await this.#call('part.setConsumers', { settings });
  }

  async closeConsumers(consumerIds: string[]): Promise<void> {
    for (const id of consumerIds) this.#consumers.delete(id);
    await this.#call('part.closeConsumers', { consumerIds });
  }

  async requestKeyFrame(consumerId: string): Promise<void> {
    await this.#call('part.requestKeyFrame', { consumerId });
  }

  openPipe(pipeId: string, secure: boolean): Promise<PipeAddress> {
    return this.#call('part.openPipe', { pipeId, secure });
  }

  async connectPipe(pipeId: string, far: PipeAddress): Promise<void> {
    await this.#call('part.connectPipe', { pipeId, far });
  }

  async closePipe(pipeId: string): Promise<void> {
    await this.#call('part.closePipe', { pipeId });
  }

  sendOverPipe(pipeId: string, producerId: string): Promise<PipedProducer> {
    return this.#call('part.sendOverPipe', { pipeId, producerId });
  }

  async takeFromPipe(pipeId: string, producer: PipedProducer): Promise<void> {
    await this.#call('part.takeFromPipe', { pipeId, producer });
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
    this.#send('part.close', {}).catch(() => undefined);
  }

  /** Ends the router after its worker or node died. */
  die(): void {
    if (this.#closed) return;
    this.#end();
    this.#options.onEvent(this, { name: 'died' });
  }

  #forget(isOver: (consumer: { key: string; producerId: string }) => boolean): void {
    for (const [id, consumer] of this.#consumers) if (isOver(consumer)) this.#consumers.delete(id);
  }

  #end(): void {
    this.#closed = true;
    this.#options.onClosed(this);
  }

  async #call<Name extends RouterRpcName>(
    name: Name,
    request: Omit<RpcRequest<Name>, 'routerId'>,
  ): Promise<RpcResponse<Name>> {
    if (this.#closed) throw unreachable();
    try {
      return await this.#send(name, request);
    } catch (error) {
      // The router died, but its `died` event was lost.
      if (isNoRouter(error)) this.die();
      throw error;
    }
  }

  async #send<Name extends RouterRpcName>(
    name: Name,
    request: Omit<RpcRequest<Name>, 'routerId'>,
  ): Promise<RpcResponse<Name>> {
    const link = await this.#options.link();
    if (!link) throw unreachable();
    return link.call(name, { routerId: this.id, ...request } as RpcRequest<Name>);
  }
}
