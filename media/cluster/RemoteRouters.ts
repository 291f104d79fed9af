import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import type { PayloadTypes } from '../router/payloadTypes.ts';
import type { MediaNodes } from './MediaNodes.ts';
import { RemotePart } from './RemoteRouter.ts';
import type { Neighbours, TellOfPart } from '../room/Neighbours.ts';
import type { RoomPart } from '../router/RoomRouter.ts';
import type { Candidate } from '../room/placement.ts';

interface RemotePartsOptions {
  nodes: MediaNodes;
  /** This node's id, in its present life. */
  ownId: () => string;
  log: Logger;
}

const keepMs = 5_000;

/** The parts of this node's rooms on other nodes. Every few seconds each of these hears which are in use, and says which it has lost. */
export class RemoteParts implements Neighbours {
  readonly #options: RemotePartsOptions;
  readonly #parts = new Map<string, RemotePart>();
  /** Nodes that have, or had, a part. */
  readonly #hosts = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: RemotePartsOptions) {
    this.#options = options;
    const { nodes } = options;
    nodes.onDied((nodeId) => {
      this.#hosts.delete(nodeId);
      for (const part of [...this.#parts.values()]) if (part.nodeId === nodeId) part.die();
    });
    nodes.onNews((name, news) => {
      if (name !== 'part') return;
      const { partId, news: told } = news as { partId: string; news: Parameters<RemotePart['hear']>[0] };
      this.#parts.get(partId)?.hear(told);
    });
    // Not all nodes in the same moment.
    this.#timer = setInterval(() => void this.#keep(), keepMs + randomInt(500)).unref();
  }

  candidates(): Candidate[] {
    const own = this.#options.ownId();
    return this.#options.nodes.candidates().filter(({ id }) => id !== own);
  }

  async openPart(
    nodeId: string,
    roomId: string,
    tell: TellOfPart,
    payloadTypes?: PayloadTypes,
  ): Promise<RoomPart> {
    const { nodes } = this.#options;
    const part = new RemotePart({
      nodeId,
      link: () => nodes.link(nodeId),
      busy: () => nodes.candidates().find(({ id }) => id === nodeId)?.load ?? 0,
      tell,
      onClosed: () => this.#parts.delete(part.id),
    });
    this.#parts.set(part.id, part);
    this.#hosts.add(nodeId);
    try {
      await part.open(roomId, payloadTypes);
    } catch (error) {
      part.close();
      throw error;
    }
    return part;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #keep(): Promise<void> {
    await Promise.all([...this.#hosts].map((nodeId) => this.#keepOn(nodeId)));
  }

  async #keepOn(nodeId: string): Promise<void> {
    const parts = [...this.#parts.values()].filter((part) => part.nodeId === nodeId && part.isOpen);
    try {
      const link = await this.#options.nodes.link(nodeId);
      const answer = await link?.call('part.keep', { partIds: parts.map(({ id }) => id) });
      for (const id of answer?.missing ?? []) this.#parts.get(id)?.die();
    } catch (err) {
      this.#options.log.debug({ err, node: nodeId }, 'parts on another node could not be asked after');
    }
  }
}
