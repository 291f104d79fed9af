import type { Member, Reception, Sent } from './Member.ts';
import type { Receptions } from './Subscriptions.ts';
import type { RoomMembers } from './RoomMembers.ts';

interface HearingOptions {
  members: RoomMembers;
  receptions: Receptions;
  isHeard: (sent: Sent) => boolean;
  /** Whether this member is to receive it now. */
  isWanted: (to: Member, sent: Sent) => boolean;
  /** Lets this member have it, if it has not. */
  offer: (to: Member, sent: Sent) => Promise<void>;
  onFailed: (err: unknown) => void;
}

/** Whoever is not heard for so long is likely to listen: even a paused consumer costs a worker something with every packet. */
const forgottenMs = 10_000;
/** So that devices are not busy with it all at once. */
const [sweepMs, mostAtOnce] = [1_000, 4];

/**
 * Lets the people of one room hear those who are to be heard: their consumers are made when first needed, pause as soon as they no longer are,
 * and are closed where that lasts.
 */
export class Hearing {
  readonly #options: HearingOptions;
  /** Since when they are not heard: those of whom there may be consumers. */
  readonly #unheard = new Map<Sent, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: HearingOptions) {
    this.#options = options;
  }

  /** Others are heard than before. */
  refresh(): void {
    const { members, receptions, isHeard, onFailed } = this.#options;
    const changed: Reception[] = [];
    for (const sent of members.sent) {
      if (sent.source !== 'microphone') continue;
      changed.push(...this.#changed(sent));
      if (!isHeard(sent)) {
        if (!this.#unheard.has(sent)) this.#unheard.set(sent, performance.now());
        continue;
      }
      this.#unheard.delete(sent);
      for (const to of members.othersOf(sent.from)) this.#options.offer(to, sent).catch(onFailed);
    }
    receptions.apply(changed).catch(onFailed);
    this.#sweepLater();
  }

  forget(sent: Sent): void {
    this.#unheard.delete(sent);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#unheard.clear();
  }

  /** Programs receive what they were made for, whoever is heard. */
  #changed(sent: Sent): Reception[] {
    const changed: Reception[] = [];
    for (const reception of this.#options.receptions.of(sent)) {
      const isHeard = this.#options.isWanted(reception.to, sent);
      if (reception.isHeard !== isHeard) changed.push(reception);
      reception.isHeard = isHeard;
    }
    return changed;
  }

  #sweepLater(): void {
    if (this.#unheard.size > 0) this.#timer ??= setTimeout(() => this.#sweep(), sweepMs).unref();
  }

  #sweep(): void {
    this.#timer = null;
    const before = performance.now() - forgottenMs;
    const forgotten = [...this.#unheard].filter(([, since]) => since <= before).slice(0, mostAtOnce);
    for (const [sent] of forgotten) this.#unheard.delete(sent);
    const { receptions, onFailed } = this.#options;
    const closing = forgotten.flatMap(([sent]) => [...receptions.of(sent)].filter(({ isHeard }) => !isHeard));
    receptions.end(closing).catch(onFailed);
    this.#sweepLater();
  }
}
