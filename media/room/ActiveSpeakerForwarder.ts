import type { Member, Subscription, Publication } from './Member.ts';
import type { Subscriptions } from './Subscriptions.ts';
import type { RoomMembers } from './RoomMembers.ts';

interface HearingOptions {
  members: RoomMembers;
  subscriptions: Subscriptions;
  isHeard: (publication: Publication) => boolean;
  /** Whether this member is to receive it now. */
  isWanted: (to: Member, publication: Publication) => boolean;
  /** Lets this member have it, if it has not. */
  offer: (to: Member, publication: Publication) => Promise<void>;
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
  readonly #unheard = new Map<Publication, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: HearingOptions) {
    this.#options = options;
  }

  /** Others are heard than before. */
  refresh(): void {
    const { members, subscriptions, isHeard, onFailed } = this.#options;
    const changed: Subscription[] = [];
    for (const publication of members.publications) {
      if (publication.source !== 'microphone') continue;
      changed.push(...this.#changed(publication));
      if (!isHeard(publication)) {
        if (!this.#unheard.has(publication)) this.#unheard.set(publication, performance.now());
        continue;
      }
      this.#unheard.delete(publication);
      for (const to of members.othersOf(publication.from)) this.#options.offer(to, publication).catch(onFailed);
    }
    subscriptions.apply(changed).catch(onFailed);
    this.#sweepLater();
  }

  forget(publication: Publication): void {
    this.#unheard.delete(publication);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#unheard.clear();
  }

  /** Programs receive what they were made for, whoever is heard. */
  #changed(publication: Publication): Subscription[] {
    const changed: Subscription[] = [];
    for (const subscription of this.#options.subscriptions.of(publication)) {
      const isHeard = this.#options.isWanted(subscription.to, publication);
      if (subscription.isHeard !== isHeard) changed.push(subscription);
      subscription.isHeard = isHeard;
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
    for (const [publication] of forgotten) this.#unheard.delete(publication);
    const { subscriptions, onFailed } = this.#options;
    const closing = forgotten.flatMap(([publication]) => [...subscriptions.of(publication)].filter(({ isHeard }) => !isHeard));
    subscriptions.end(closing).catch(onFailed);
    this.#sweepLater();
  }
}
