import type { Member, Subscription, Publication } from './Member.ts';
import type { Subscriptions } from './Subscriptions.ts';
import type { RoomMembers } from './RoomMembers.ts';

interface ActiveSpeakerForwarderOptions {
  members: RoomMembers;
  subscriptions: Subscriptions;
  isForwarded: (publication: Publication) => boolean;
  /** Whether this member should receive the publication now. */
  isWanted: (to: Member, publication: Publication) => boolean;
  /** Offers the publication to the member. Does nothing if the member already receives it. */
  offer: (to: Member, publication: Publication) => Promise<void>;
  onFailed: (err: unknown) => void;
}

/**
 * Subscriptions of microphones that have not been forwarded for this long are closed, because even a paused consumer costs the worker CPU
 * time per packet.
 */
const unusedMs = 10_000;
/**
 * The interval at which unused subscriptions are closed, and the maximum number of microphones for which this is done each time, so that
 * devices do not have to close many consumers at once.
 */
const [sweepMs, maxPerSweep] = [1_000, 4];

/**
 * Forwards the active speakers of one room. Consumers are created when a microphone is first forwarded, paused when it no longer is, and
 * closed after a while.
 */
export class ActiveSpeakerForwarder {
  readonly #options: ActiveSpeakerForwarderOptions;
  /** Microphones that are not forwarded but may have consumers, with the time at which forwarding stopped. */
  readonly #notForwarded = new Map<Publication, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: ActiveSpeakerForwarderOptions) {
    this.#options = options;
  }

  /** Call after the set of forwarded microphones has changed. */
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

  /**
   * Updates `isForwarded` in all subscriptions of a publication, and returns those that changed. A plain RTP peer receives its publisher's
   * microphone even if it is not among the active speakers.
   */
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
    const before = performance.now() - unusedMs;
    const unused = [...this.#notForwarded].filter(([, since]) => since <= before).slice(0, maxPerSweep);
    for (const [publication] of unused) this.#notForwarded.delete(publication);
    const { subscriptions, onFailed } = this.#options;
    const closing = unused.flatMap(([publication]) =>
      [...subscriptions.of(publication)].filter(({ isForwarded }) => !isForwarded),
    );
    subscriptions.end(closing).catch(onFailed);
    this.#sweepLater();
  }
}
