import type { Address } from '../../protocol/common.ts';
import type { Recipient } from '../../protocol/group.ts';
import { newId } from '../../protocol/ids.ts';
import type { Connection } from '../connection/Connection.ts';
import { tabLocks } from '../platform/tabLocks.ts';
import type { MessageType, WireQuote } from '../../protocol/messages.ts';
import { whenThere, type MaybeLater, type StoredItems } from '../platform/StoredItems.ts';

/** A message on its way to the server. */
export interface Draft {
  id: string;
  /** The sender's wallet. */
  wallet: Address;
  to: Recipient;
  content: string;
  type: MessageType;
  mediaId?: string;
  /** The id of the message that it replies to. */
  replyTo?: string;
  /** What the app shows of that message until the server has stored this one. */
  quote?: WireQuote;
  /** The content to which it is changed after it was stored. The first content may have reached the server already. */
  edited?: string;
  /** Milliseconds since 1970. */
  queuedAt: number;
}

interface StoredDraft extends Draft {
  /** The client that sends the draft; empty if it was closed before. */
  owner: string;
}

/** Keeps unsent messages in the browser's storage, so that a reload does not lose them. Does nothing without a storage. */
export class StoredDrafts {
  readonly #storage: StoredItems;
  readonly #key: string;
  readonly #connection: Pick<Connection, 'state' | 'onState'>;
  #owner = '';
  #unlock = () => {};

  /**
   * @param key the key prefix, which names the server
   * @param connection the client's connection. While it is closed, other clients take over the drafts
   */
  constructor(storage: StoredItems, key: string, connection: Pick<Connection, 'state' | 'onState'>) {
    this.#storage = storage;
    this.#key = key;
    this.#connection = connection;
    connection.onState((state) => {
      if (state !== 'closed') return;
      this.#owner = '';
      this.#unlock();
    });
  }

  put(draft: Draft): void {
    const stored = { ...draft, owner: this.#lock() };
    // A stored draft keeps its position: drafts are sent in this order after a reload.
    this.#change(draft.wallet, (all) =>
      all.some((each) => each.id === draft.id)
        ? all.map((each) => (each.id === draft.id ? stored : each))
        : [...all, stored],
    );
  }

  remove({ id, wallet }: Pick<Draft, 'id' | 'wallet'>): void {
    this.#change(wallet, (all) => all.filter((each) => each.id !== id));
  }

  /**
   * Takes over the drafts of this wallet from clients and pages that were closed.
   * @param isHere returns whether this client already has the draft with this id
   * @returns the drafts, in the order in which they were written
   */
  async adopt(wallet: Address, isHere: (id: string) => boolean): Promise<Draft[]> {
    const living = await this.#livingOwners();
    const isOrphan = ({ id, owner }: StoredDraft) =>
      (owner === this.#owner || !living.has(owner)) && !isHere(id);
    const orphans = (await this.#read(wallet)).filter(isOrphan);
    for (const draft of orphans) this.put(draft);
    return orphans;
  }

  /**
   * Holds a lock until the client or the page is closed. From the lock, other clients see that this one still sends its own drafts.
   * @returns the id of this client among those that share the storage; empty if it is closed
   */
  #lock(): string {
    if (this.#owner || !this.#storage.exists || this.#connection.state === 'closed') return this.#owner;
    this.#owner = newId('ses');
    const isOver = new Promise<void>((resolve) => (this.#unlock = resolve));
    // A page that gets no lock shares the storage with no other.
    tabLocks()
      ?.request(this.#lockName(this.#owner), () => isOver)
      .catch(() => undefined);
    return this.#owner;
  }

  async #livingOwners(): Promise<Set<string>> {
    const { held = [] } =
      (await tabLocks()
        ?.query()
        .catch(() => null)) ?? {};
    const prefix = this.#lockName('');
    const names = held.map(({ name = '' }) => name).filter((name) => name.startsWith(prefix));
    return new Set(names.map((name) => name.slice(prefix.length)));
  }

  #lockName(owner: string): string {
    return `${this.#key} ${owner}`;
  }

  /** If this fails, the message is still sent, unless the page is closed first. */
  #change(wallet: Address, change: (all: StoredDraft[]) => StoredDraft[]): void {
    if (!this.#storage.exists) return;
    this.#storage.update(`${this.#key} ${wallet}`, (text) => {
      const all = change(parse(text));
      return all.length > 0 ? JSON.stringify(all) : null;
    });
  }

  #read(wallet: Address): MaybeLater<StoredDraft[]> {
    return whenThere(this.#storage.get(`${this.#key} ${wallet}`), parse);
  }
}

function parse(text: string | null): StoredDraft[] {
  try {
    const all: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(all) ? (all as StoredDraft[]) : [];
  } catch {
    return [];
  }
}
