import { EventEmitter } from 'node:events';
import jwt from 'jsonwebtoken';
import type { Logger } from 'pino';
import { inProcessLink, type MediaLink } from '../../media/MediaLink.ts';
import type { MediaNode } from '../../media/MediaNode.ts';
import type { Candidate } from '../../media/placement.ts';
import type { MediaNodes } from '../../media/RemoteMediaCluster.ts';
import type { NewsName, News, TellNews } from '../../media/rpc.ts';
import { SocketLink } from '../../media/SocketLink.ts';
import { lostMs, type LivingNode, type NodeRegistry } from './NodeRegistry.ts';

interface MediaLinksOptions {
  registry: NodeRegistry;
  tokens: LinkTokens;
  /** The media of this process, where it has any. */
  own: MediaNode | null;
  log: Logger;
}

const againMs = 250;

/** The ways from this signalling node to every media node that lives, and the watch over them. */
export class MediaLinks implements MediaNodes {
  readonly #registry: NodeRegistry;
  readonly #tokens: LinkTokens;
  readonly #own: MediaNode | null;
  readonly #log: Logger;
  readonly #links = new Map<string, MediaLink>();
  /** Nodes whose link is down: each is looked at until it is up again, or the node is dead. */
  readonly #down = new Map<string, NodeJS.Timeout>();
  readonly #draining = new Set<string>();
  readonly #events = new EventEmitter();
  #closed = false;

  constructor({ registry, tokens, own, log }: MediaLinksOptions) {
    this.#registry = registry;
    this.#tokens = tokens;
    this.#own = own;
    this.#log = log;
    registry.on('seen', () => this.#linkAll());
    registry.on('died', (id) => this.#unlink(id));
    registry.on('reborn', () => {
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

  onDraining(handler: (nodeId: string) => void): void {
    this.#events.on('draining', handler);
  }

  onReborn(handler: () => void): void {
    this.#registry.on('reborn', handler);
  }

  onNews(handler: <Name extends NewsName>(name: Name, news: News[Name]) => void): void {
    this.#events.on('news', handler);
  }

  close(): void {
    this.#closed = true;
    for (const id of [...this.#links.keys()]) this.#unlink(id);
  }

  #linkAll(): void {
    if (this.#closed) return;
    for (const node of this.#registry.living) {
      if (node.draining && !this.#draining.has(node.id)) {
        this.#draining.add(node.id);
        this.#events.emit('draining', node.id);
      }
      if (node.roles.includes('media') && !this.#links.has(node.id))
        this.#links.set(node.id, this.#make(node));
    }
  }

  #make({ id, address }: LivingNode): MediaLink {
    const tell: TellNews = (name, news) => this.#events.emit('news', name, news);
    if (this.#own && id === this.#registry.id) return inProcessLink(this.#own, id, tell);
    return new SocketLink({
      nodeId: id,
      address: address ?? '',
      token: () => this.#tokens.sign(this.#registry.id),
      tell,
      onUp: () => {
        this.#log.info({ node: id }, 'linked to a media node');
        this.#onUp(id);
      },
      onDown: (how) => this.#onDown(id, how),
    });
  }

  #unlink(id: string): void {
    this.#onUp(id);
    this.#draining.delete(id);
    const link = this.#links.get(id);
    if (!link) return;
    link.close();
    this.#links.delete(id);
    this.#log.info({ node: id }, 'link closed');
  }

  #onUp(id: string): void {
    clearTimeout(this.#down.get(id));
    this.#down.delete(id);
  }

  #onDown(id: string, how: 'refused' | 'silent'): void {
    if (!this.#links.has(id)) return;
    if (!this.#down.has(id)) this.#log.warn({ node: id, how }, 'link is down');
    clearTimeout(this.#down.get(id));
    // A closed port is the end of its process; silence is that only when the database has not heard from it either.
    this.#down.set(
      id,
      setTimeout(() => void this.#judge(id, how === 'refused' ? 0 : lostMs), 0),
    );
  }

  async #judge(id: string, unseenMs: number): Promise<void> {
    const isDead = await this.#registry.declareDead(id, unseenMs).catch((err: unknown) => {
      this.#log.warn({ err, node: id }, 'a node could not be judged');
      return false;
    });
    if (isDead || this.#closed || !this.#down.has(id)) return;
    this.#down.set(
      id,
      setTimeout(() => void this.#judge(id, lostMs), againMs),
    );
  }
}

/** What nodes prove themselves to each other with. */
export interface LinkTokens {
  sign(nodeId: string): string;
  /** @returns the node's id, or null */
  verify(token: unknown): string | null;
}

const audience = 'parley-links';

export function createLinkTokens(key: Buffer): LinkTokens {
  return {
    sign: (nodeId) => jwt.sign({}, key, { algorithm: 'HS256', audience, subject: nodeId, expiresIn: 60 }),
    verify(token) {
      if (typeof token !== 'string') return null;
      try {
        const { sub } = jwt.verify(token, key, { algorithms: ['HS256'], audience }) as jwt.JwtPayload;
        return sub ?? null;
      } catch {
        return null;
      }
    },
  };
}
