import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { MediaCluster } from '../../media/MediaCluster.ts';
import type { TapView } from '../../media/plain.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import { randomBase62 } from '../../sdk/protocol/ids.ts';
import type { Source } from '../../sdk/protocol/media.ts';
import type { RecordingStore } from '../../signaling/recordings/RecordingStore.ts';
import type { ObjectStorage } from '../files/ObjectStorage.ts';
import { TapRun, type TapDeps } from '../streaming/TapRun.ts';
import { PartFile } from './PartFile.ts';
import { recordWords } from './recordWords.ts';
import { SendingSources } from './SendingSources.ts';

export interface SeatDeps extends TapDeps {
  media: TapDeps['media'] & Pick<MediaCluster, 'countPackets'>;
  store: RecordingStore;
  storage: ObjectStorage;
  /** How often what was written is brought into the storage. */
  chunkMs: number;
}

export interface Seat {
  roomId: string;
  recordingId: string;
  seat: string;
  /** Their camera and microphone, or their screen: each is a film. */
  shows: TapView;
  wallet: Address;
  /** Where its files grow. */
  folder: string;
}

/** What it is to be sending, by which of its devices. */
export interface Claim {
  sources: ReadonlySet<Source>;
  peerIds: readonly string[];
}

/** One that ended at once is not begun at once, and one of which nothing comes, again and again, ever later. */
const pauseMs = 2_000;
const mostDoublings = 5;
/** A recording is to be sought in. */
const keyFrameEverySeconds = 5;
const bringAttempts = 10;
const bringAgainMs = 2_000;

/** Records what one of them sends: one part after another, each as long as nothing is added to it. */
export class SeatRecorder {
  readonly #seat: Seat;
  readonly #deps: SeatDeps;
  readonly #sources = new SendingSources();
  #run: { tap: TapRun; sources: ReadonlySet<Source>; done: Promise<void> } | null = null;
  #notBefore = 0;
  /** In a row, of which nothing came. */
  #emptyRuns = 0;
  #stopped = false;

  constructor(seat: Seat, deps: SeatDeps) {
    this.#seat = seat;
    this.#deps = deps;
  }

  /** It is recorded, or will be in a moment. */
  get isTaken(): boolean {
    return this.#run !== null || this.#sources.claimed.size > 0;
  }

  /** What it is to be sending now; to be told now and then. */
  async look({ sources, peerIds }: Claim): Promise<void> {
    this.#sources.claim(sources, Date.now());
    if (this.#isRecorded(sources)) return this.#sources.forget();
    const { roomId } = this.#seat;
    const counting = peerIds.map((peerId) => this.#deps.media.countPackets(roomId, peerId));
    const counts = await Promise.all(counting);
    const now = Date.now();
    const arriving = this.#sources.count(counts.flat(), now);
    if (this.#stopped || !arriving || this.#isRecorded(arriving) || now < this.#notBefore) return;
    // More than what is recorded: in a part of its own.
    if (this.#run) this.#run.tap.end();
    else this.#begin(arriving);
  }

  /** What this program of ours received has ended, or was lost, or there is more of it. */
  onTapLost(peerId: string): void {
    if (this.#run?.tap.peerId === peerId) this.#run.tap.end();
  }

  /** @returns when all of it is in the storage */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#run?.tap.end();
    await this.#run?.done;
  }

  #isRecorded(sources: ReadonlySet<Source>): boolean {
    return [...sources].every((source) => this.#run?.sources.has(source));
  }

  #begin(sources: ReadonlySet<Source>): void {
    const { roomId, seat, shows } = this.#seat;
    const tap = new TapRun({ roomId, of: seat, shows, via: 'recording', sources }, this.#deps);
    const startedAt = Date.now();
    const done = this.#record(tap)
      .catch((err: unknown) => {
        const { recordingId } = this.#seat;
        this.#deps.log.warn({ err, recordingId, roomId }, 'a part of a recording broke off');
        return 0;
      })
      .then((bytes) => {
        this.#run = null;
        this.#notBefore = startedAt + pauseMs * 2 ** Math.min(this.#emptyRuns, mostDoublings);
        this.#emptyRuns = bytes > 0 ? 0 : this.#emptyRuns + 1;
      });
    this.#run = { tap, sources, done };
  }

  /** @returns how much came of it */
  async #record(tap: TapRun): Promise<number> {
    const { store, storage, chunkMs, log } = this.#deps;
    const { recordingId, wallet, shows, folder } = this.#seat;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const row = await store.addPart({
      ...{ id: randomBase62(24), recordingId, wallet },
      isScreen: shows === 'screen',
    });
    const file = new PartFile(join(folder, `${row.id}.mkv`), row, { store, storage });
    let seconds = 0;
    let timer: NodeJS.Timeout | undefined;
    try {
      await tap.run(() => ({
        ...{ words: recordWords(`${row.id}.mkv`), folder },
        needsKeyFrame: () => seconds++ % keyFrameEverySeconds === 0,
        onBegun: () => {
          timer = setInterval(() => {
            const failed = (err: unknown) =>
              log.warn({ err, recordingId }, 'not brought into the storage yet');
            void file.bring().catch(failed);
          }, chunkMs);
        },
      }));
    } finally {
      clearInterval(timer);
      await bringAll(file);
    }
    return file.bytes;
  }
}

/** Where the storage stays away, the next life of this node brings it. */
async function bringAll(file: PartFile): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await file.bring();
      return await file.remove();
    } catch (error) {
      if (attempt === bringAttempts) throw error;
      await delay(bringAgainMs);
    }
  }
}
