import type { Logger } from 'pino';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { LocalPart } from '../router/LocalRouter.ts';
import { numberingOf } from '../router/payloadTypes.ts';
import type { PartMaker } from '../room/RouterFactory.ts';
import type { PartNews } from '../router/RoomRouter.ts';
import type { partRpc } from './routerRpc.ts';
import type { RpcRequest, RpcResponse } from './rpc.ts';

export type PartRpcName = keyof typeof partRpc;

interface Hosted {
  part: LocalPart;
  /** The node whose room it is part of. */
  owner: string;
  roomId: string;
  numbering: string;
  /** The owner has named it since, in its list of those it uses. */
  isKept: boolean;
}

export type PartHandlers = {
  [Name in PartRpcName]: (owner: string, request: RpcRequest<Name>) => Promise<RpcResponse<Name>>;
};

type TellOwner = (owner: string, partId: string, news: PartNews) => void;

/** Parts of other nodes' rooms, on this node's workers. Each does what its owner says, and nobody else. */
export class PartHost {
  readonly handlers: PartHandlers;
  readonly #maker: PartMaker;
  readonly #log: Logger;
  readonly #parts = new Map<string, Hosted>();
  #tell: TellOwner = () => undefined;

  constructor(maker: PartMaker, log: Logger) {
    this.#maker = maker;
    this.#log = log;
    this.handlers = this.#createHandlers();
  }

  tellWith(tell: TellOwner): void {
    this.#tell = tell;
  }

  get size(): number {
    return this.#parts.size;
  }

  get parts(): LocalPart[] {
    return [...this.#parts.values()].map(({ part }) => part);
  }

  /** The owner is dead: its rooms are others' now, and begin anew. */
  closeOf(owner: string): void {
    for (const [partId, hosted] of this.#parts) if (hosted.owner === owner) this.#close(partId);
  }

  closeAll(): void {
    for (const partId of [...this.#parts.keys()]) this.#close(partId);
  }

  /** Those of owners who are not among the living, whoever's death went unheard. */
  closeOrphans(isAlive: (nodeId: string) => boolean): void {
    for (const [partId, { owner }] of this.#parts) if (!isAlive(owner)) this.#close(partId);
  }

  #createHandlers(): PartHandlers {
    // Looked up without a wait, so that what is asked in one order is done in it.
    const at = (owner: string, partId: string) => this.#part(owner, partId);
    const done = async (doing: Promise<unknown>) => {
      await doing;
      return {};
    };
    return {
      'part.open': (owner, request) => this.#open(owner, request),
      'part.close': (owner, { partId }) => {
        if (this.#parts.get(partId)?.owner === owner) this.#close(partId);
        return Promise.resolve({});
      },
      'part.keep': (owner, { partIds }) => Promise.resolve(this.#keep(owner, partIds)),
      'part.addPeer': (owner, { partId, key, ...options }) => at(owner, partId).addPeer(key, options),
      'part.addPlainPeer': (owner, { partId, key, ...options }) =>
        at(owner, partId).addPlainPeer(key, options),
      'part.removePeer': (owner, { partId, key }) => done(at(owner, partId).removePeer(key)),
      'part.connectTransport': (owner, { partId, key, transportId, dtlsParameters }) =>
        done(at(owner, partId).connectTransport(key, transportId, dtlsParameters)),
      'part.restartIce': (owner, { partId, key, transportId }) =>
        at(owner, partId).restartIce(key, transportId),
      'part.produce': (owner, { partId, key, ...producer }) => at(owner, partId).produce(key, producer),
      'part.setProducerPaused': (owner, { partId, producerId, paused }) =>
        done(at(owner, partId).setProducerPaused(producerId, paused)),
      'part.countPackets': async (owner, { partId, producerIds }) => ({
        counts: await at(owner, partId).countPackets(producerIds),
      }),
      'part.closeProducer': (owner, { partId, producerId }) =>
        done(at(owner, partId).closeProducer(producerId)),
      'part.consume': async (owner, { partId, key, producerId }) => ({
        consumer: await at(owner, partId).consume(key, producerId),
      }),
      'part.setConsumers': (owner, { partId, settings }) => done(at(owner, partId).setConsumers(settings)),
      'part.closeConsumers': (owner, { partId, consumerIds }) =>
        done(at(owner, partId).closeConsumers(consumerIds)),
      'part.requestKeyFrame': (owner, { partId, consumerId }) =>
        done(at(owner, partId).requestKeyFrame(consumerId)),
      'part.openPipe': (owner, { partId, pipeId, secure }) => at(owner, partId).openPipe(pipeId, secure),
      'part.connectPipe': (owner, { partId, pipeId, far }) =>
        done(at(owner, partId).connectPipe(pipeId, far)),
      'part.closePipe': (owner, { partId, pipeId }) => done(at(owner, partId).closePipe(pipeId)),
      'part.sendOverPipe': (owner, { partId, pipeId, producerId }) =>
        at(owner, partId).sendOverPipe(pipeId, producerId),
      'part.takeFromPipe': (owner, { partId, pipeId, producer }) =>
        done(at(owner, partId).takeFromPipe(pipeId, producer)),
    };
  }

  async #open(
    owner: string,
    { partId, roomId, payloadTypes }: RpcRequest<'part.open'>,
  ): Promise<RpcResponse<'part.open'>> {
    const numbering = numberingOf(payloadTypes);
    const alike = [...this.#parts.values()].filter(
      (other) => other.owner === owner && other.roomId === roomId && other.numbering === numbering,
    );
    const part = await this.#maker.openBeside(
      alike.map((other) => other.part),
      (_part, news) => {
        if (news.name === 'died') this.#parts.delete(partId);
        this.#tell(owner, partId, news);
      },
      payloadTypes,
    );
    if (part.isClosed) throw noPart();
    this.#parts.set(partId, { part, owner, roomId, numbering, isKept: true });
    this.#log.info({ roomId, partId, owner }, 'took a part of another node’s room');
    return { workers: Math.max(1, this.#maker.workersWithout([]).length) };
  }

  #keep(owner: string, partIds: string[]): { missing: string[] } {
    const used = new Set(partIds);
    for (const [partId, hosted] of this.#parts) {
      if (hosted.owner !== owner || used.has(partId)) hosted.isKept = true;
      // One that was just opened may be younger than the list: it is closed when the next list does not have it either.
      else if (hosted.isKept) hosted.isKept = false;
      else this.#close(partId);
    }
    return { missing: partIds.filter((partId) => this.#parts.get(partId)?.owner !== owner) };
  }

  #part(owner: string, partId: string): LocalPart {
    const hosted = this.#parts.get(partId);
    if (hosted?.owner !== owner) throw noPart();
    return hosted.part;
  }

  #close(partId: string): void {
    this.#parts.get(partId)?.part.close();
    this.#parts.delete(partId);
  }
}

const noPartReason = 'no_such_part';
const noPart = () =>
  new ParleyError('NOT_FOUND', 'This node has no such part of a room: it has lost or closed it.', {
    reason: noPartReason,
  });

export const isNoPart = (error: unknown): boolean =>
  error instanceof ParleyError && error.reason === noPartReason;
