import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Packaged, PackagedSegment } from '../../../media/Packaging.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { randomBase62 } from '../../../sdk/protocol/ids.ts';
import { HlsRun, type RunDeps } from './HlsRun.ts';
import { listed, playlistFile } from './hlsArgs.ts';
import { readInit, type InitForm } from './readInit.ts';

interface PackageOptions extends RunDeps {
  roomId: string;
  /** For folders of packages. */
  workDir: string;
  /** Nobody has asked for so long, and it ends. */
  idleMs: number;
  onClosed: () => void;
}

/** A player begins with one that is followed by another. */
const enough = 2;
const checkMs = 2_000;
const retryDelaysMs = [100, 500, 2_000, 5_000];
/** One that ran for so long has earned another at once. */
const soundMs = 10_000;
/** Segments of copied pictures that are longer keep players too far behind. */
const longestSeconds = 2.2;
/** So many a segment is, by far, when all is well. */
const soundSeconds = 1.4;
/** The clock a package's counters begin by, so that they rise over packages and nodes: a segment is longer than a tick. */
const epoch = Date.UTC(2025, 0, 1);
const tickMs = 500;
/** Beyond this what was counted and the clock are brought together again. */
const driftMs = 1_000;
const peakFactor = 1.3;

/** The segments of one stream: made from the first who asks until nobody does. */
export class HlsPackage {
  readonly id = randomBase62(24);
  readonly #options: PackageOptions;
  readonly #folder: string;
  readonly #mediaSequence = Math.floor((Date.now() - epoch) / tickMs);
  readonly #discontinuitySequence = this.#mediaSequence;
  #dropped = 0;
  #droppedNew = 0;
  #segments: PackagedSegment[] = [];
  /** Of the latest run. */
  #form: InitForm | null = null;
  #bandwidth = 0;
  #longestSeconds = 1;
  #run: HlsRun | null = null;
  #runs = 0;
  #encode = false;
  #isRefused = false;
  #askedAt = Date.now();
  #closed = false;
  #ended: Promise<void> = Promise.resolve();
  readonly #timer: NodeJS.Timeout;

  constructor(options: PackageOptions) {
    this.#options = options;
    this.#folder = join(options.workDir, this.id);
    const { local, roomId } = options;
    this.#timer = setInterval(() => {
      if (Date.now() - this.#askedAt > options.idleMs) return void this.close();
      // The room is over: so are its segments, for whoever has their address.
      local.peers(roomId).catch((error: unknown) => isGone(error) && void this.close());
    }, checkMs);
    void this.#runOn();
  }

  /** @returns null while there is too little of it */
  get packaged(): Packaged | null {
    this.#askedAt = Date.now();
    if (!this.#form || this.#segments.length < enough) return null;
    return {
      packageId: this.id,
      mediaSequence: this.#mediaSequence + this.#dropped,
      discontinuitySequence: this.#discontinuitySequence + this.#droppedNew,
      segments: this.#segments,
      longestSeconds: this.#longestSeconds,
      ...this.#form,
      bandwidth: this.#bandwidth,
    };
  }

  /** There was no place for it when it was last begun. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** @param name no path */
  file(name: string): Promise<Buffer | null> {
    return readFile(join(this.#folder, name)).catch(() => null);
  }

  /** What this peer received has ended, or was lost. */
  onEgressLost(peerId: string): void {
    if (this.#run?.peerId === peerId) this.#run.end();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#timer);
    this.#options.onClosed();
    this.#run?.end();
    await this.#ended;
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #runOn(): Promise<void> {
    let done = () => {};
    this.#ended = new Promise((resolve) => (done = resolve));
    for (let failures = 0; !this.#closed;) {
      const startedAt = Date.now();
      try {
        await this.#runOnce();
      } catch (error) {
        if (isGone(error)) void this.close();
        else this.#options.log.warn({ err: error, roomId: this.#options.roomId }, 'HLS could not be made');
      }
      failures = Date.now() - startedAt > soundMs ? 0 : failures + 1;
      if (!this.#closed) await delay(retryDelaysMs[Math.min(failures, retryDelaysMs.length) - 1] ?? 0);
    }
    done();
  }

  async #runOnce(): Promise<void> {
    const number = this.#runs++;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    let wasRefused = false;
    let isFirst = true;
    let isVeryFirst = true;
    this.#run = new HlsRun(
      {
        ...{ roomId: this.#options.roomId, number, folder: this.#folder, encode: this.#encode },
        onRefused: () => (wasRefused = true),
        onSegment: (segment) => {
          // Until sound and picture are in step it may be long, and all that follow would seem so.
          const isPassedOver = isVeryFirst && segment.seconds > soundSeconds;
          isVeryFirst = false;
          if (isPassedOver) return;
          this.#add(segment, isFirst);
          if (isFirst) void this.#learn(segment.init, segment.name, segment.seconds);
          isFirst = false;
        },
      },
      this.#options,
    );
    await this.#run.run();
    this.#run = null;
    if (wasRefused && !this.#isRefused)
      this.#options.log.warn(
        { roomId: this.#options.roomId },
        'no place to make HLS, or to encode a picture for it',
      );
    this.#isRefused = wasRefused;
    // ffmpeg would go on with the list of the one before.
    await rm(join(this.#folder, playlistFile), { force: true });
  }

  #add({ name, init, seconds }: { name: string; init: string; seconds: number }, isNew: boolean): void {
    const last = this.#segments.at(-1);
    const follows = last && !isNew ? last.at + last.seconds * 1_000 : -Infinity;
    const seen = Date.now() - seconds * 1_000;
    const at = Math.abs(follows - seen) > driftMs ? seen : follows;
    this.#segments = [...this.#segments, { name, init, seconds, at, isNew }];
    while (this.#segments.length > listed) {
      this.#dropped++;
      if (this.#segments[0]?.isNew) this.#droppedNew++;
      this.#segments = this.#segments.slice(1);
    }
    this.#longestSeconds = Math.max(this.#longestSeconds, Math.round(seconds));
    if (seconds > longestSeconds && !this.#encode && this.#options.slots.encoders.free > 0) {
      this.#encode = true;
      this.#run?.end();
    }
  }

  async #learn(init: string, first: string, seconds: number): Promise<void> {
    const bytes = await this.file(init);
    const { size = 0 } = (await stat(join(this.#folder, first)).catch(() => null)) ?? {};
    this.#bandwidth = Math.max(64_000, Math.round((size * 8 * peakFactor) / Math.max(0.1, seconds)));
    if (bytes) this.#form = readInit(bytes);
  }
}

const isGone = (error: unknown) => error instanceof ParleyError && error.code === 'NOT_FOUND';
