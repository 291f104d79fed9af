import type { MediaCluster } from '../../media/MediaCluster.ts';
import type { Source } from '../../sdk/protocol/media.ts';
import { PartRecorder, type PartDeps, type ParticipantState } from './PartRecorder.ts';
import { SendingSources } from './SendingSources.ts';

export interface ParticipantDeps extends PartDeps {
  media: PartDeps['media'] & Pick<MediaCluster, 'countPackets'>;
}

/** What somebody is to be sending, by which of their devices. */
export interface Claim {
  sources: ReadonlySet<Source>;
  peerIds: readonly string[];
}

/** What comes only when it is asked for, has come within this. */
const graceMs = 2_500;
/** One that ended at once is not begun at once, and one of which nothing comes, again and again, ever later. */
const pauseMs = 2_000;
const mostDoublings = 5;

/** Records what one of them sends: one part after another, each as long as nothing is added to it. */
export class ParticipantRecorder {
  readonly #participant: ParticipantState;
  readonly #deps: ParticipantDeps;
  readonly #sources = new SendingSources();
  #part: PartRecorder | null = null;
  /** The last one is in the storage. */
  #done: Promise<void> = Promise.resolve();
  #notBefore = 0;
  /** In a row, of which nothing came. */
  #emptyParts = 0;
  #stopped = false;

  constructor(identity: ParticipantState, deps: ParticipantDeps) {
    this.#participant = identity;
    this.#deps = deps;
  }

  /** It is recorded, or will be in a moment. */
  get isTaken(): boolean {
    return this.#part !== null || this.#sources.claimed.size > 0;
  }

  /** What it is to be sending now; to be told now and then. */
  async look({ sources, peerIds }: Claim): Promise<void> {
    this.#sources.claim(sources, Date.now());
    if (this.#isRecorded(sources)) return this.#sources.forget();
    const { roomId } = this.#participant;
    const counting = peerIds.map((peerId) => this.#deps.media.countPackets(roomId, peerId));
    const counts = (await Promise.all(counting)).flat();
    const now = Date.now();
    const arriving = this.#sources.count(counts, now);
    if (this.#stopped) return;
    if (!this.#part && this.#sources.isSettled(now) && now >= this.#notBefore) this.#begin();
    if (this.#part && arriving.size > 0) this.#adjust(this.#part, arriving, now);
  }

  /** What this program of ours received has ended, or was lost, or there is more of it. */
  onEgressLost(peerId: string): void {
    if (this.#part?.peerId === peerId) this.#part.end();
  }

  /** @returns when all of it is in the storage */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#part?.end();
    await this.#done;
  }

  #isRecorded(sources: ReadonlySet<Source>): boolean {
    return [...sources].every((source) => this.#part?.sources?.has(source));
  }

  #adjust(part: PartRecorder, arriving: ReadonlySet<Source>, now: number): void {
    if (part.sources) {
      // More than what is recorded: in a part of its own.
      if (!this.#isRecorded(arriving)) part.end();
      return;
    }
    const isWhole = arriving.size === this.#sources.claimed.size;
    if (isWhole || now - part.since >= graceMs) part.take(arriving);
  }

  #begin(): void {
    const { recordingId, roomId } = this.#participant;
    const part = new PartRecorder(this.#participant, this.#deps);
    this.#part = part;
    this.#done = part.done
      .catch((err: unknown) => {
        this.#deps.log.warn({ err, recordingId, roomId }, 'a part of a recording broke off');
        this.#notBefore = Date.now() + pauseMs;
        return 0;
      })
      .then((bytes) => this.#onEnded(part, bytes));
  }

  #onEnded({ since, sources }: PartRecorder, bytes: number): void {
    this.#part = null;
    // Nothing was tried.
    if (!sources) return;
    this.#notBefore = since + pauseMs * 2 ** Math.min(this.#emptyParts, mostDoublings);
    this.#emptyParts = bytes > 0 ? 0 : this.#emptyParts + 1;
  }
}
