import type { Address } from '../../protocol/common.ts';
import { newId } from '../../protocol/ids.ts';
import type { MessageType } from '../../protocol/messages.ts';
import type { SessionStorage } from '../types.ts';

/** A message on its way to the server. */
export interface Draft {
  id: string;
  /** The sender. */
  wallet: Address;
  to: Address;
  content: string;
  type: MessageType;
  mediaId?: string;
  /** Milliseconds since 1970. */
  queuedAt: number;
}

interface Kept extends Draft {
  owner: string;
}

/** Drafts in the browser's storage, so that a reload does not lose what was typed. Where there is none, it keeps nothing. */
export class KeptOutbox {
  readonly #storage: SessionStorage | undefined;
  readonly #key: string;
  /** This client, among the tabs that share the storage. */
  readonly #owner = newId('ses');
  #isLocked = false;

  /** @param key names the server */
  constructor(storage: SessionStorage | undefined, key: string) {
    this.#storage = storage;
    this.#key = key;
  }

  put(draft: Draft): void {
    this.#lock();
    const { id, wallet, to, content, type, mediaId, queuedAt } = draft;
    const kept = {
      id,
      wallet,
      to,
      content,
      type,
      ...(mediaId ? { mediaId } : {}),
      queuedAt,
      owner: this.#owner,
    };
    // In its place: the order in here is the order they are sent in after a reload.
    this.#change(wallet, (all) =>
      all.some((each) => each.id === id) ? all.map((each) => (each.id === id ? kept : each)) : [...all, kept],
    );
  }

  remove({ id, wallet }: Pick<Draft, 'id' | 'wallet'>): void {
    this.#change(wallet, (all) => all.filter((each) => each.id !== id));
  }

  /**
   * What pages that are gone have left of this wallet's, in the order it was written: it is this client's from now on.
   * @param isHere whether this client sends it already
   */
  async adopt(wallet: Address, isHere: (id: string) => boolean): Promise<Draft[]> {
    const living = await this.#livingOwners();
    const isLeft = ({ id, owner }: Kept) => (owner === this.#owner || !living.has(owner)) && !isHere(id);
    const left = this.#read(wallet).filter(isLeft);
    for (const draft of left) this.put(draft);
    return left;
  }

  /** Held as long as the page lives: by it others know that its drafts are being sent. */
  #lock(): void {
    if (this.#isLocked || !this.#storage) return;
    this.#isLocked = true;
    void locks()?.request(this.#lockName(this.#owner), () => new Promise(() => {}));
  }

  async #livingOwners(): Promise<Set<string>> {
    const held = (await locks()?.query())?.held ?? [];
    const prefix = this.#lockName('');
    return new Set(held.map(({ name = '' }) => name.slice(prefix.length)));
  }

  #lockName(owner: string): string {
    return `${this.#key} ${owner}`;
  }

  #change(wallet: Address, change: (all: Kept[]) => Kept[]): void {
    if (!this.#storage) return;
    try {
      const all = change(this.#read(wallet));
      if (all.length > 0) this.#storage.setItem(`${this.#key} ${wallet}`, JSON.stringify(all));
      else this.#storage.removeItem(`${this.#key} ${wallet}`);
    } catch {
      // A full or forbidden storage: the message is sent all the same, as long as the page lives.
    }
  }

  #read(wallet: Address): Kept[] {
    try {
      const all: unknown = JSON.parse(this.#storage?.getItem(`${this.#key} ${wallet}`) ?? '[]');
      return Array.isArray(all) ? (all as Kept[]) : [];
    } catch {
      return [];
    }
  }
}

/** Web Locks hold across the tabs of an origin; where there are none, there are no tabs. */
const locks = () => globalThis.navigator?.locks as LockManager | undefined;
