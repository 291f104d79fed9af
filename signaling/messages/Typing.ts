import type { Logger } from 'pino';
import type { Address } from '../../sdk/protocol/common.ts';
import { isGroup, type GroupId, type Recipient } from '../../sdk/protocol/group.ts';
import type { BlockList } from '../calls/BlockList.ts';
import type { GroupService } from '../groups/GroupService.ts';
import type { GroupStore } from '../groups/GroupStore.ts';
import type { Limit } from '../../platform/limits/Limits.ts';
import type { RequestContext } from '../socket/RequestContext.ts';
import type { Notifier } from '../socket/Notifier.ts';

interface Typist {
  timer: NodeJS.Timeout;
  from: Address;
  to: Recipient;
  forwardedAt: number;
  /** Settles when the members of the group have been told what came before. */
  told: Promise<void>;
}

interface TypingDeps {
  notifier: Notifier;
  blockList: BlockList;
  groups: Pick<GroupService, 'requireMember'>;
  groupStore: Pick<GroupStore, 'wallets'>;
  /** How often a wallet may begin to type. Each time, all members of a group get two events. */
  starting: Limit;
  log: Logger;
}

/** Typing ends after this time without a renewal. */
const typingMs = 5_000;
/** The minimum time between two forwarded renewals. The SDK renews every 2.5 s. */
const forwardMs = 2_000;
/** The maximum number of conversations that one device may type in at the same time. */
const maxPerDevice = 10;

/** Typing indicators, in memory only. If the event that ends one is lost, the other device stops showing it after some time. */
export class Typing {
  readonly #deps: TypingDeps;
  /** By device, then by recipient. */
  readonly #typists = new Map<string, Map<Recipient, Typist>>();

  constructor(deps: TypingDeps) {
    this.#deps = deps;
  }

  async set(context: RequestContext, to: Recipient, typing: boolean): Promise<void> {
    const { wallet, socketId } = context;
    if (!typing) return this.#stop(socketId, to);
    const own = this.#typists.get(socketId);
    const running = own?.get(to);
    if (running) {
      running.timer.refresh();
      if (performance.now() - running.forwardedAt < forwardMs) return;
      // Forwarded again, because the recipient's indicator expires.
      running.forwardedAt = performance.now();
      // The recipient may have blocked the wallet since it began to type.
      const mayTell = await this.#mayTell(to, wallet);
      if (this.#typists.get(socketId)?.get(to) !== running) return;
      if (mayTell) this.#tell('typing:start', running);
      else this.#stop(socketId, to);
      return;
    }
    if ((own?.size ?? 0) >= maxPerDevice) return;
    await this.#deps.starting.consume(context);
    if (!(await this.#mayTell(to, wallet))) return;
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

  #start({ from, to, socketId }: { from: Address; to: Recipient; socketId: string }): void {
    const own = this.#typists.get(socketId) ?? new Map<Recipient, Typist>();
    // Another request of this device was faster.
    if (own.has(to)) return;
    const timer = setTimeout(() => this.#stop(socketId, to), typingMs).unref();
    const typist = { timer, from, to, forwardedAt: performance.now(), told: Promise.resolve() };
    this.#typists.set(socketId, own.set(to, typist));
    this.#tell('typing:start', typist);
  }

  #stop(socketId: string, to: Recipient): void {
    const own = this.#typists.get(socketId);
    const typist = own?.get(to);
    if (!own || !typist) return;
    clearTimeout(typist.timer);
    own.delete(to);
    if (own.size === 0) this.#typists.delete(socketId);
    this.#tell('typing:stop', typist);
  }

  async #mayTell(to: Recipient, wallet: Address): Promise<boolean> {
    const { blockList, groups } = this.#deps;
    if (!isGroup(to)) return !(await blockList.has(to, wallet));
    await groups.requireMember(wallet, to);
    return true;
  }

  #tell(event: 'typing:start' | 'typing:stop', typist: Typist): void {
    const { from, to } = typist;
    if (!isGroup(to)) return this.#deps.notifier.toWallet(to, event, { from });
    typist.told = typist.told
      .then(() => this.#tellGroup(event, from, to))
      .catch((err: unknown) => this.#deps.log.warn({ err }, 'typing not told to group'));
  }

  async #tellGroup(event: 'typing:start' | 'typing:stop', from: Address, group: GroupId): Promise<void> {
    const { notifier, groupStore } = this.#deps;
    const members = await groupStore.wallets(group);
    if (!members.includes(from)) return;
    for (const member of members) if (member !== from) notifier.toWallet(member, event, { from, group });
  }
}
