import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { PlainSource } from '../../media/plain.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import { randomBase62 } from '../../sdk/protocol/ids.ts';
import type { RecordingStore } from '../../signaling/recordings/RecordingStore.ts';
import type { ObjectStorage } from '../files/ObjectStorage.ts';
import { TapRun, type TapDeps } from '../streaming/TapRun.ts';
import { PartFile } from './PartFile.ts';
import { recordWords } from './recordWords.ts';

export interface SeatDeps extends TapDeps {
  store: RecordingStore;
  storage: ObjectStorage;
  /** How often what was written is brought into the storage. */
  chunkMs: number;
}

export interface Seat {
  roomId: string;
  recordingId: string;
  seat: string;
  wallet: Address;
  /** Where its files grow. */
  folder: string;
}

/** Camera and microphone begin one after the other: they are one film. */
const settleMs = 700;
/** One that ended at once is not begun at once. */
const pauseMs = 2_000;
/** A recording is to be sought in. */
const keyFrameEverySeconds = 5;
const bringAttempts = 10;
const bringAgainMs = 2_000;

/** Records what one of them sends: one part after another, each as long as nothing is added to it. */
export class SeatRecorder {
  readonly #seat: Seat;
  readonly #deps: SeatDeps;
  #sending: ReadonlySet<PlainSource> = new Set();
  /** Since when it has been what it is. */
  #since = Date.now();
  #run: { tap: TapRun; sources: ReadonlySet<PlainSource>; done: Promise<void> } | null = null;
  #notBefore = 0;
  #file: PartFile | null = null;
  #bytes = 0;
  #stopped = false;

  constructor(seat: Seat, deps: SeatDeps) {
    this.#seat = seat;
    this.#deps = deps;
  }

  /** So far. */
  get bytes(): number {
    return this.#bytes + (this.#file?.bytes ?? 0);
  }

  get isRecording(): boolean {
    return this.#run !== null;
  }

  /** What it sends now; to be told now and then. */
  look(sending: ReadonlySet<PlainSource>): void {
    const isSame =
      sending.size === this.#sending.size && [...sending].every((each) => this.#sending.has(each));
    if (!isSame) this.#since = Date.now();
    this.#sending = sending;
    const isWhole = [...sending].every((source) => this.#run?.sources.has(source));
    const now = Date.now();
    if (this.#stopped || isWhole || now - this.#since < settleMs || now < this.#notBefore) return;
    // More than what is recorded: in a part of its own.
    if (this.#run) this.#run.tap.end();
    else this.#begin(sending);
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

  #begin(sources: ReadonlySet<PlainSource>): void {
    const { roomId, seat } = this.#seat;
    const tap = new TapRun({ roomId, of: seat, via: 'recording', sources }, this.#deps);
    const startedAt = Date.now();
    const done = this.#record(tap)
      .catch((err: unknown) => {
        const { recordingId } = this.#seat;
        this.#deps.log.warn({ err, recordingId, roomId }, 'a part of a recording broke off');
      })
      .finally(() => {
        this.#run = null;
        if (Date.now() - startedAt < pauseMs) this.#notBefore = startedAt + pauseMs;
      });
    this.#run = { tap, sources, done };
  }

  async #record(tap: TapRun): Promise<void> {
    const { store, storage, chunkMs, log } = this.#deps;
    const { recordingId, wallet, folder } = this.#seat;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const row = await store.addPart({ id: randomBase62(24), recordingId, wallet });
    const file = new PartFile(join(folder, `${row.id}.mkv`), row, { store, storage });
    this.#file = file;
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
      this.#bytes += file.bytes;
      this.#file = null;
    }
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
