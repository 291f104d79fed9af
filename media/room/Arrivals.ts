import { every } from '../../platform/every.ts';
import type { Member, Publication } from './Member.ts';

/** How often packets are counted: of publishers that are not heard, so that a stream is live soon, and of the others. */
const [pollMs, heardPollMs] = [250, 1_000];
/** The time without packets after which a publisher counts as silent. It is longer than a short break of its network. */
const silenceMs = 5_000;
const repeatMs = 10_000;

interface Watched {
  /** The number of packets by producer. */
  packets: ReadonlyMap<string, number>;
  /** When packets last arrived, or when they may have without being noticed. */
  at: number;
  polledAt: number;
  reportedAt: number;
}

interface ArrivalsOptions {
  /** Whether no subscriber needs a video, so that its publisher was asked not to send it. */
  isUnwanted: (publication: Publication) => boolean;
  onArriving: (member: Member) => void;
}

/**
 * Reports whether packets of publishers arrive. mediasoup reports this only for simulcast, so packets are counted. A publisher that was never
 * heard is reported as silent only after a while, and one that is moving to another router not at all.
 */
export class Arrivals {
  readonly #options: ArrivalsOptions;
  readonly #watched = new Map<Member, Watched>();
  #periodMs: number | null = null;
  #stop: (() => void) | null = null;

  constructor(options: ArrivalsOptions) {
    this.#options = options;
  }

  watch(member: Member): void {
    if (this.#watched.has(member)) return;
    const at = performance.now();
    this.#watched.set(member, { packets: new Map(), at, polledAt: at, reportedAt: -Infinity });
    this.#schedule();
  }

  close(): void {
    this.#watched.clear();
    this.#schedule();
  }

  #schedule(): void {
    const members = [...this.#watched.keys()];
    const isUnheard = members.some(({ isArriving }) => !isArriving);
    const periodMs = members.length === 0 ? null : isUnheard ? pollMs : heardPollMs;
    if (periodMs === this.#periodMs) return;
    this.#periodMs = periodMs;
    this.#stop?.();
    this.#stop = periodMs === null ? null : every(periodMs, () => this.#pollAll());
  }

  #pollAll(): void {
    for (const [member, watched] of this.#watched) {
      if (member.hasLeft) this.#watched.delete(member);
      const now = performance.now();
      if (member.hasLeft || (member.isArriving && now - watched.polledAt < heardPollMs - pollMs / 2))
        continue;
      watched.polledAt = now;
      // If its router does not answer, other events report that.
      this.#poll(member, watched).catch(() => undefined);
    }
    this.#schedule();
  }

  async #poll(member: Member, watched: Watched): Promise<void> {
    const producerIds = [...member.publications.values()].map(({ producerId }) => producerId);
    const { counts } = await member.router.countPackets({ producerIds });
    if (member.hasLeft || member.isMoving) return;
    const now = performance.now();
    const isMore = counts.some(({ producerId, packets }) => packets > (watched.packets.get(producerId) ?? 0));
    if (isMore || (member.isArriving && !this.#mustSend(member))) watched.at = now;
    watched.packets = new Map(counts.map(({ producerId, packets }) => [producerId, packets]));
    const isSilent = now - watched.at >= silenceMs;
    if (!isMore && !member.isArriving && !isSilent) return;
    const isChanged = member.isArriving === isSilent;
    if (!isChanged && now - watched.reportedAt < repeatMs) return;
    member.isArriving = !isSilent;
    this.#schedule();
    watched.reportedAt = now;
    this.#options.onArriving(member);
  }

  /** Whether silence is unexpected. A source may be paused or unwanted, and a shared screen that does not change sends nothing. */
  #mustSend({ publications }: Member): boolean {
    return [...publications.values()].some(
      (publication) =>
        !publication.isPaused &&
        !this.#options.isUnwanted(publication) &&
        (publication.source === 'camera' || publication.source === 'microphone'),
    );
  }
}
