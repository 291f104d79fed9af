import type { Address } from '../../sdk/protocol/common.ts';
import type { BlockList } from '../calls/BlockList.ts';
import type { RequestContext } from '../socket/RequestContext.ts';
import type { Notifier } from '../socket/Notifier.ts';

interface Typist {
  timer: NodeJS.Timeout;
  from: Address;
  to: Address;
  forwardedAt: number;
}

/** Typing ends after this time without a renewal. */
const typingMs = 5_000;
/** The minimum time between two forwarded renewals. The SDK renews every 2.5 s. */
const forwardMs = 2_000;
/** The maximum number of conversations that one device may type in at the same time. */
const maxPerDevice = 10;

/** Typing indicators, in memory only. If the event that ends one is lost, the other device stops showing it after some time. */
export class Typing {
  readonly #deps: { notifier: Notifier; blockList: BlockList };
  /** By device, then by recipient. */
  readonly #typists = new Map<string, Map<Address, Typist>>();

  constructor(deps: { notifier: Notifier; blockList: BlockList }) {
    this.#deps = deps;
  }

  async set({ wallet, socketId }: RequestContext, to: Address, typing: boolean): Promise<void> {
    if (!typing) return this.#stop(socketId, to);
    const own = this.#typists.get(socketId);
    const running = own?.get(to);
    if (running) {
      running.timer.refresh();
      if (Date.now() - running.forwardedAt < forwardMs) return;
      // Forwarded again, because the recipient's indicator expires.
      running.forwardedAt = Date.now();
      this.#deps.notifier.toWallet(to, 'typing:start', { from: wallet });
      return;
    }
    if ((own?.size ?? 0) >= maxPerDevice || (await this.#deps.blockList.has(to, wallet))) return;
    this.#start({ from: wallet, to, socketId });
  }

  /** Ends all typing of a device that has disconnected. */
  onDisconnected(socketId: string): void {
    for (const to of [...(this.#typists.get(socketId)?.keys() ?? [])]) this.#stop(socketId, to);
  }

  close(): void {
    for (const own of this.#typists.values()) for (const { timer } of own.values()) clearTimeout(timer);
    this.#typists.clear();
  }

  #start({ from, to, socketId }: { from: Address; to: Address; socketId: string }): void {
    const own = this.#typists.get(socketId) ?? new Map<Address, Typist>();
    // Another request of this device was faster.
    if (own.has(to)) return;
    const timer = setTimeout(() => this.#stop(socketId, to), typingMs).unref();
    this.#typists.set(socketId, own.set(to, { timer, from, to, forwardedAt: Date.now() }));
    this.#deps.notifier.toWallet(to, 'typing:start', { from });
  }

  #stop(socketId: string, to: Address): void {
    const own = this.#typists.get(socketId);
    const typist = own?.get(to);
    if (!own || !typist) return;
    clearTimeout(typist.timer);
    own.delete(to);
    if (own.size === 0) this.#typists.delete(socketId);
    this.#deps.notifier.toWallet(to, 'typing:stop', { from: typist.from });
  }
}
