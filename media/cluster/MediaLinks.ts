import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { systemMetrics } from '../../platform/metrics/metrics.ts';
import { inProcessLink, type MediaLink } from './MediaLink.ts';
import type { MediaNode } from './MediaNode.ts';
import type { Candidate } from '../room/placement.ts';
import type { NodeEventName, NodeEvent, EmitNodeEvent } from './rpc.ts';
import { SocketLink } from './SocketLink.ts';
import { lostMs, refusedMs, type LivingNode, type NodeRegistry } from '../../platform/node/NodeRegistry.ts';
import type { Keys } from '../../platform/keys.ts';

interface MediaLinksOptions {
  registry: NodeRegistry;
  /** The keys that all nodes of the cluster share, 32 bytes each. */
  keys: Keys;
  /** The media of this process, if it has any. */
  own: MediaNode | null;
  log: Logger;
}

const recheckMs = 200;

/**
 * The links from this signalling node to all living media nodes. While a link is down, its node is checked, and declared dead once its
 * heartbeat has stopped too.
 */
export class MediaLinks {
  readonly #registry: NodeRegistry;
  readonly #keys: Keys;
  readonly #own: MediaNode | null;
  readonly #log: Logger;
  readonly #links = new Map<string, MediaLink>();
  readonly #up = new Set<string>();
  /** Nodes that have been linked before. If one of them is linked again, events may have been missed. */
  readonly #linked = new Set<string>();
  /** Nodes whose link is down. Each is checked until the link is up again or the node is declared dead. */
  readonly #down = new Map<string, Outage>();
  readonly #events = new EventEmitter();
  readonly #unwatch = systemMetrics.links.watch(() => [
    { labels: { state: 'up' }, value: this.#up.size },
    { labels: { state: 'down' }, value: this.#down.size },
  ]);
  #closed = false;

  constructor({ registry, keys, own, log }: MediaLinksOptions) {
    this.#registry = registry;
    this.#keys = keys;
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
    return this.#registry.living.filter((node) => this.#isCandidate(node));
  }

  /** A media node; undefined when it is dead or its link is down. It costs the same however many nodes there are. */
  candidate(nodeId: string): Candidate | undefined {
    const node = this.#registry.find(nodeId);
    return node && this.#isCandidate(node) ? node : undefined;
  }

  /** The link to a node; null when the node is dead. */
  async link(nodeId: string): Promise<MediaLink | null> {
    if (!this.#links.has(nodeId) && !this.#closed) {
      // The node may be new: read the registry.
      await this.#registry.refresh();
      this.#linkAll();
    }
    return this.#links.get(nodeId) ?? null;
  }

  onDied(handler: (nodeId: string) => void): void {
    this.#registry.on('died', handler);
  }

  /** A link was interrupted, and events of the node may have been missed. */
  onMissed(handler: (nodeId: string) => void): void {
    this.#events.on('missed', handler);
  }

  /** A node is draining: its rooms should move to other nodes while it still serves them. */
  onDraining(handler: (nodeId: string) => void): void {
    this.#events.on('draining', handler);
  }

  /** This node was declared dead. Other nodes own its rooms now, and it joins the cluster again without rooms. */
  onEnded(handler: () => void): void {
    this.#registry.on('ended', handler);
  }

  onEvent(handler: <Name extends NodeEventName>(name: Name, event: NodeEvent[Name]) => void): void {
    this.#events.on('nodeEvent', handler);
  }

  close(): void {
    this.#closed = true;
    this.#unwatch();
    for (const id of [...this.#links.keys()]) this.#unlink(id);
  }

  #isCandidate({ id, roles }: LivingNode): boolean {
    return roles.includes('media') && !this.#down.has(id);
  }

  #linkAll(): void {
    if (this.#closed) return;
    for (const node of this.#registry.living) {
      // Emitted on every heartbeat, so that rooms that could not be handed over at first are handed over later.
      if (node.draining) this.#events.emit('draining', node.id);
      if (node.roles.includes('media') && !this.#links.has(node.id))
        this.#links.set(node.id, this.#make(node));
    }
  }

  #make({ id, address }: LivingNode): MediaLink {
    const emit: EmitNodeEvent = (name, event) => this.#events.emit('nodeEvent', name, event);
    if (this.#own && id === this.#registry.id) return inProcessLink(this.#own, id, emit);
    return new SocketLink({
      nodeId: id,
      address: address ?? '',
      ownId: () => this.#registry.id,
      keys: this.#keys,
      emit,
      onUp: () => {
        this.#log.info({ node: id }, 'media node linked');
        this.#onUp(id);
      },
      onDown: (how) => this.#onDown(id, how),
    });
  }

  #unlink(id: string): void {
    this.#down.delete(id);
    this.#up.delete(id);
    this.#linked.delete(id);
    const link = this.#links.get(id);
    if (!link) return;
    link.close();
    this.#links.delete(id);
    this.#log.info({ node: id }, 'link closed');
  }

  #onUp(id: string): void {
    this.#down.delete(id);
    this.#up.add(id);
    if (this.#linked.has(id)) this.#events.emit('missed', id);
    this.#linked.add(id);
  }

  #onDown(id: string, how: Outage['how']): void {
    if (!this.#links.has(id)) return;
    this.#up.delete(id);
    const known = this.#down.get(id);
    if (known) known.how = how;
    else {
      this.#log.warn({ node: id, address: this.#registry.find(id)?.address, how }, 'link is down');
      const outage = { how };
      this.#down.set(id, outage);
      void this.#watch(id, outage);
    }
  }

  /** Checks a node whose link is down until the link is up again. Declares it dead only if its heartbeat has stopped too. */
  async #watch(id: string, outage: Outage): Promise<void> {
    while (this.#down.get(id) === outage && !this.#closed) {
      const unseenMs = outage.how === 'refused' ? refusedMs : lostMs;
      const isDead = await this.#registry.declareDead(id, unseenMs).catch((err: unknown) => {
        this.#log.warn({ err, node: id }, 'node could not be checked');
        return false;
      });
      if (isDead) return;
      await delay(recheckMs);
    }
  }
}

interface Outage {
  how: 'refused' | 'silent';
}
