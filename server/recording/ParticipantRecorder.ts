import type { Source } from '../../sdk/protocol/media.ts';
import { PartRecorder, type PartDeps, type ParticipantState } from './PartRecorder.ts';
import { SendingSources } from './SendingSources.ts';

/** The sources a participant claims to send, and the devices that send them. */
export interface Claim {
  sources: ReadonlySet<Source>;
  peerIds: readonly string[];
}

/** How long a new part waits for all claimed sources. Sources that are sent only when somebody receives them arrive within this time. */
const graceMs = 2_500;
/**
 * The minimum time from the start of a part to the start of the next one, which doubles with each empty part. Also the pause after a part
 * that failed before it recorded anything.
 */
const pauseMs = 2_000;
const maxDoublings = 5;

/** Records one participant in parts. A part ends when a source is added. */
export class ParticipantRecorder {
  readonly #participant: ParticipantState;
  readonly #deps: PartDeps;
  readonly #sources = new SendingSources();
  #part: PartRecorder | null = null;
  /** Resolves when the last part has ended. */
  #done: Promise<void> = Promise.resolve();
  /** Resolves when all ended parts are in storage. They are stored one after the other, while later parts are recorded. */
  #stored: Promise<void> = Promise.resolve();
  #notBefore = 0;
  /** Consecutive parts without data. */
  #emptyParts = 0;
  #stopped = false;

  constructor(identity: ParticipantState, deps: PartDeps) {
    this.#participant = identity;
    this.#deps = deps;
  }

  /** Whether a part is running or about to start. */
  get isTaken(): boolean {
    return this.#part !== null || this.#sources.claimed.size > 0;
  }

  /** Updates the claimed sources. Called at regular intervals. */
  async update({ sources, peerIds }: Claim): Promise<void> {
    this.#sources.claim(sources, performance.now());
    if (this.#isRecorded(sources)) return this.#sources.forget();
    const { roomId } = this.#participant;
    const counting = peerIds.map((peerId) => this.#deps.media.room(roomId).countPackets({ peerId }));
    const counts = (await Promise.all(counting)).flat();
    const now = performance.now();
    const arriving = this.#sources.count(counts, now);
    if (this.#stopped) return;
    if (!this.#part && this.#sources.isSettled(now) && now >= this.#notBefore) this.#begin();
    if (this.#part && arriving.size > 0) this.#adjust(this.#part, arriving, now);
  }

  /** Called when the egress of a peer has changed or was lost. Ends the part that uses this egress. */
  onEgressLost(peerId: string): void {
    if (this.#part?.peerId === peerId) this.#part.end();
  }

  /** Resolves when everything is in storage. Call this after stop(). */
  get stored(): Promise<void> {
    return this.#stored;
  }

  /** Ends the recording of this participant. Resolves when its last part has ended. */
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
      // More sources arrive than are recorded, so a new part is needed.
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
        this.#deps.log.warn({ err, recordingId, roomId }, 'recording part failed');
        this.#notBefore = performance.now() + pauseMs;
        return 0;
      })
      .then((bytes) => this.#onEnded(part, bytes));
  }

  #onEnded(part: PartRecorder, bytes: number): void {
    const { since, sources } = part;
    this.#part = null;
    this.#stored = this.#stored.then(() => part.store());
    // The part ended before it recorded anything.
    if (!sources) return;
    this.#notBefore = since + pauseMs * 2 ** Math.min(this.#emptyParts, maxDoublings);
    this.#emptyParts = bytes > 0 ? 0 : this.#emptyParts + 1;
  }
}
