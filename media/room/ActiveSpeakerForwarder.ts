import type { Member, Subscription, Publication } from './Member.ts';
import type { Subscriptions } from './Subscriptions.ts';
import type { RoomMembers } from './RoomMembers.ts';

interface ActiveSpeakerForwarderOptions {
  members: RoomMembers;
  subscriptions: Subscriptions;
  isForwarded: (publication: Publication) => boolean;
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
export class ActiveSpeakerForwarder {
  readonly #options: ActiveSpeakerForwarderOptions;
  /** Since when they are not heard: those of whom there may be consumers. */
  readonly #notForwarded = new Map<Publication, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: ActiveSpeakerForwarderOptions) {
    this.#options = options;
  }

  /** Others are heard than before. */
  refresh(): void {
    const { members, subscriptions, isForwarded, onFailed } = this.#options;
    const changed: Subscription[] = [];
    for (const publication of members.publications) {
      if (publication.source !== 'microphone') continue;
      changed.push(...this.#changed(publication));
      if (!isForwarded(publication)) {
        if (!this.#notForwarded.has(publication)) this.#notForwarded.set(publication, performance.now());
        continue;
      }
      this.#notForwarded.delete(publication);
      for (const to of members.othersOf(publication.from))
        this.#options.offer(to, publication).catch(onFailed);
    }
    subscriptions.apply(changed).catch(onFailed);
    this.#sweepLater();
  }

  forget(publication: Publication): void {
    this.#notForwarded.delete(publication);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#notForwarded.clear();
  }

  /** Programs receive what they were made for, whoever is heard. */
  #changed(publication: Publication): Subscription[] {
    const changed: Subscription[] = [];
    for (const subscription of this.#options.subscriptions.of(publication)) {
      const isForwarded = this.#options.isWanted(subscription.to, publication);
      if (subscription.isForwarded !== isForwarded) changed.push(subscription);
      subscription.isForwarded = isForwarded;
    }
    return changed;
  }

  #sweepLater(): void {
    if (this.#notForwarded.size > 0) this.#timer ??= setTimeout(() => this.#sweep(), sweepMs).unref();
  }

  #sweep(): void {
    this.#timer = null;
    const before = performance.now() - forgottenMs;
    const forgotten = [...this.#notForwarded].filter(([, since]) => since <= before).slice(0, mostAtOnce);
    for (const [publication] of forgotten) this.#notForwarded.delete(publication);
    const { subscriptions, onFailed } = this.#options;
    const closing = forgotten.flatMap(([publication]) =>
      [...subscriptions.of(publication)].filter(({ isForwarded }) => !isForwarded),
    );
    subscriptions.end(closing).catch(onFailed);
    this.#sweepLater();
  }
}
