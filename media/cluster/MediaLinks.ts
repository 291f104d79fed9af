import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { inProcessLink, type MediaLink } from './MediaLink.ts';
import type { MediaNode } from './MediaNode.ts';
import type { Candidate } from '../room/placement.ts';
import type { MediaNodes } from './MediaNodes.ts';
import type { NodeEventName, NodeEvent, EmitNodeEvent } from './rpc.ts';
import { SocketLink } from './SocketLink.ts';
import { lostMs, refusedMs, type LivingNode, type NodeRegistry } from '../../platform/node/NodeRegistry.ts';

interface MediaLinksOptions {
  registry: NodeRegistry;
  /** What all nodes of the cluster have: 32 bytes. */
  key: Buffer;
  /** The media of this process, where it has any. */
  own: MediaNode | null;
  log: Logger;
}

const againMs = 200;

/** The ways from this signalling node to every media node that lives, and the watch over them. */
export class MediaLinks implements MediaNodes {
  readonly #registry: NodeRegistry;
  readonly #key: Buffer;
  readonly #own: MediaNode | null;
  readonly #log: Logger;
  readonly #links = new Map<string, MediaLink>();
  readonly #up = new Set<string>();
  /** Nodes that have told this one of their rooms. */
  readonly #heard = new Set<string>();
  /** Nodes whose link is down: each is looked at until it is up again, or the node is dead. */
  readonly #down = new Map<string, Outage>();
  readonly #events = new EventEmitter();
  #closed = false;

  constructor({ registry, key, own, log }: MediaLinksOptions) {
    this.#registry = registry;
    this.#key = key;
    this.#own = own;
    this.#log = log;
    registry.setWitness((id) => this.#up.has(id));
    registry.on('seen', () => this.#linkAll());
    registry.on('died', (id) => this.#unlink(id));
    registry.on('ended', () => {
      for (const id of [...this.#links.keys()]) this.#unlink(id);
    });
    this.#linkAll();
  }

  candidates(): Candidate[] {
    return this.#registry.living.filter(({ id, roles }) => roles.includes('media') && !this.#down.has(id));
  }

  async link(nodeId: string): Promise<MediaLink | null> {
    if (!this.#links.has(nodeId) && !this.#closed) {
      // It may be new: the database knows.
      await this.#registry.refresh();
      this.#linkAll();
    }
    return this.#links.get(nodeId) ?? null;
  }

  onDied(handler: (nodeId: string) => void): void {
    this.#registry.on('died', handler);
  }

  onMissed(handler: (nodeId: string) => void): void {
    this.#events.on('missed', handler);
  }

  onDraining(handler: (nodeId: string) => void): void {
    this.#events.on('draining', handler);
  }

  onEnded(handler: () => void): void {
    this.#registry.on('ended', handler);
  }

  onEvent(handler: <Name extends NodeEventName>(name: Name, event: NodeEvent[Name]) => void): void {
    this.#events.on('news', handler);
  }

  close(): void {
    this.#closed = true;
    for (const id of [...this.#links.keys()]) this.#unlink(id);
  }

  #linkAll(): void {
    if (this.#closed) return;
    for (const node of this.#registry.living) {
      // Told again and again: what could not be taken over at once is later.
      if (node.draining) this.#events.emit('draining', node.id);
      if (node.roles.includes('media') && !this.#links.has(node.id))
        this.#links.set(node.id, this.#make(node));
    }
  }

  #make({ id, address }: LivingNode): MediaLink {
    const tell: EmitNodeEvent = (name, event) => this.#events.emit('news', name, event);
    if (this.#own && id === this.#registry.id) return inProcessLink(this.#own, id, tell);
    return new SocketLink({
      nodeId: id,
      address: address ?? '',
      ownId: () => this.#registry.id,
      key: this.#key,
      tell,
      onUp: () => {
        this.#log.info({ node: id }, 'linked to a media node');
        this.#onUp(id);
      },
      onDown: (how) => this.#onDown(id, how),
    });
  }

  #unlink(id: string): void {
    this.#down.delete(id);
    this.#up.delete(id);
    this.#heard.delete(id);
    const link = this.#links.get(id);
    if (!link) return;
    link.close();
    this.#links.delete(id);
    this.#log.info({ node: id }, 'link closed');
  }

  #onUp(id: string): void {
    this.#down.delete(id);
    this.#up.add(id);
    if (this.#heard.has(id)) this.#events.emit('missed', id);
    this.#heard.add(id);
  }

  #onDown(id: string, how: Outage['how']): void {
    if (!this.#links.has(id)) return;
    this.#up.delete(id);
    const known = this.#down.get(id);
    if (known) known.how = how;
    else {
      this.#log.warn({ node: id, how }, 'link is down');
      const outage = { how };
      this.#down.set(id, outage);
      void this.#watch(id, outage);
    }
  }

  /** A closed port, or silence, is the end of a node only when the database has not heard from it either. */
  async #watch(id: string, outage: Outage): Promise<void> {
    while (this.#down.get(id) === outage && !this.#closed) {
      const unseenMs = outage.how === 'refused' ? refusedMs : lostMs;
      const isDead = await this.#registry.declareDead(id, unseenMs).catch((err: unknown) => {
        this.#log.warn({ err, node: id }, 'a node could not be judged');
        return false;
      });
      if (isDead) return;
      await delay(againMs);
    }
  }
}

interface Outage {
  how: 'refused' | 'silent';
}
