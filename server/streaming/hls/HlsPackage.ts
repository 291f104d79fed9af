import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Packaged, PackagedSegment } from '../../../media/Packaging.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { PictureSize } from '../pictureSize.ts';
import { randomBase62 } from '../../../sdk/protocol/ids.ts';
import { HlsRun, type RunDeps } from './HlsRun.ts';
import { kept, listed, playlistFile } from './hlsArgs.ts';
import { readForm, type PackageForm } from './readForm.ts';

export interface PackagerOptions extends RunDeps {
  /** An empty folder for the packager only. It contains the folders of all packages. */
  workDir: string;
  /** A package ends after this time without a request. */
  idleMs: number;
}

interface PackageOptions extends PackagerOptions {
  roomId: string;
  onClosed: () => void;
}

/** The minimum number of segments in a playlist. One is not enough, because players start with a segment that has a successor. */
const minSegments = 2;
const checkMs = 2_000;
const retryDelaysMs = [100, 500, 2_000, 5_000];
/** After a run of at least this length, or with segments, the next one starts immediately. */
const healthyRunMs = 10_000;
/**
 * If a segment of copied video is longer than this, the video is encoded from then on, because long segments keep players too far behind
 * live.
 */
const longestSeconds = 2.2;
/** If the first segment of a run is longer than this, it is skipped. Normal segments are shorter. */
const maxFirstSegmentSeconds = 1.4;
/**
 * While a publisher's network stalls, ffmpeg makes one segment that lasts until the next key frame. It is skipped if it is longer than the
 * longest one before by more than this factor: all later playlists would announce its length, so that players reload them too seldom. Groups
 * of pictures that are now and then so long need their segments, so only one is skipped within this time.
 */
const stallFactor = 2;
const stallEveryMs = 60_000;
/**
 * The origin of the sequence numbers. A package starts with the number of ticks since then. Because every segment is longer than a tick,
 * its numbers are higher than those of earlier packages, even of packages on other nodes.
 */
const epoch = Date.UTC(2025, 0, 1);
const tickMs = 500;
/** If the computed time of a segment differs from the clock by more than this, the time of the clock is used. */
const driftMs = 1_000;
const peakFactor = 1.3;

/** The segments of one stream. They are made from the first request until requests stop. */
export class HlsPackage {
  readonly id = randomBase62(24);
  readonly #options: PackageOptions;
  readonly #folder: string;
  readonly #mediaSequence = Math.floor((Date.now() - epoch) / tickMs);
  readonly #discontinuitySequence = this.#mediaSequence;
  #dropped = 0;
  #droppedNew = 0;
  #segments: PackagedSegment[] = [];
  /** The runs of the segments that left the playlist last, which are kept for requests under way. */
  #keptRuns: number[] = [];
  /** The codecs and size of the latest run. */
  #form: PackageForm | null = null;
  #bandwidth = 0;
  #longestSeconds = 1;
  #stalledAt = -Infinity;
  #run: HlsRun | null = null;
  #runs = 0;
  #encode = false;
  /** The latest shape of the picture; null if it is not known. */
  #shape: PictureSize | null = null;
  /** Whether the media that the present run receives has changed or was lost. */
  #isLost = false;
  #isRefused = false;
  #askedAt = performance.now();
  #closed = false;
  #ended: Promise<void> = Promise.resolve();
  readonly #timer: NodeJS.Timeout;

  constructor(options: PackageOptions) {
    this.#options = options;
    this.#folder = join(options.workDir, this.id);
    const { local, roomId } = options;
    this.#timer = setInterval(() => {
      if (performance.now() - this.#askedAt > options.idleMs) return void this.close();
      // When the room has ended, the package closes too.
      local
        .room(roomId)
        .peers({})
        .catch((error: unknown) => isGone(error) && void this.close());
    }, checkMs);
    void this.#runOn();
  }

  /** @returns null while there are too few segments */
  get packaged(): Packaged | null {
    this.#askedAt = performance.now();
    if (!this.#form || this.#segments.length < minSegments) return null;
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

  /** Whether the last run could not start because no slot was free. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** @param name a file name without a path */
  file(name: string): Promise<Buffer | null> {
    return readFile(join(this.#folder, name)).catch(() => null);
  }

  /** Called when the media of a peer has changed or was lost. Ends the run if it receives its media through this peer. */
  onEgressLost(peerId: string): void {
    if (this.#run?.peerId !== peerId) return;
    this.#isLost = true;
    this.#run.end();
  }

  /** Called when the publisher has switched something on or off. */
  onSwitched(): void {
    this.#run?.onSwitched().catch(() => this.#run?.end());
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
      const startedAt = performance.now();
      let hasSegments = false;
      try {
        hasSegments = await this.#runOnce();
      } catch (error) {
        if (isGone(error)) void this.close();
        else this.#options.log.warn({ err: error, roomId: this.#options.roomId }, 'HLS run failed');
      }
      failures = hasSegments || performance.now() - startedAt > healthyRunMs ? 0 : failures + 1;
      if (!this.#closed) await delay(retryDelaysMs[Math.min(failures, retryDelaysMs.length) - 1] ?? 0);
    }
    done();
  }

  /** @returns whether the run has made segments */
  async #runOnce(): Promise<boolean> {
    const number = this.#runs++;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    // Nothing would end a run that begins after close().
    if (this.#closed) return false;
    let wasRefused = false;
    let isFirstOfRun = true;
    let isFirstOfPackage = true;
    let isAfterStall = false;
    this.#run = new HlsRun(
      {
        roomId: this.#options.roomId,
        number,
        folder: this.#folder,
        encode: this.#encode,
        shape: this.#shape,
        lastSize: this.#form?.size ?? null,
        onShape: (shape) => (this.#shape = shape),
        onRefused: () => (wasRefused = true),
        onSegment: (segment) => {
          // The first segment may be too long, because audio and video are not in step yet. It is then skipped, because it would raise the
          // segment duration that all later playlists announce.
          const isSkipped = isFirstOfPackage && segment.seconds > maxFirstSegmentSeconds;
          isFirstOfPackage = false;
          if (isSkipped) return;
          if (this.#isStall(segment.seconds)) return void (isAfterStall = true);
          this.#add(segment, isFirstOfRun || isAfterStall);
          isAfterStall = false;
          if (isFirstOfRun) void this.#readForm(segment.name, segment.seconds);
          isFirstOfRun = false;
        },
      },
      this.#options,
    );
    await this.#run.run();
    this.#run = null;
    // The next media may be that of another publisher.
    if (this.#isLost) [this.#encode, this.#shape, this.#isLost] = [false, null, false];
    if (wasRefused && !this.#isRefused)
      this.#options.log.warn({ roomId: this.#options.roomId }, 'HLS refused: no free ffmpeg or encoder slot');
    this.#isRefused = wasRefused;
    // If the old playlist were kept, the next ffmpeg would continue it.
    await rm(join(this.#folder, playlistFile), { force: true });
    await this.#deleteOldRuns();
    return !isFirstOfRun;
  }

  #isStall(seconds: number): boolean {
    const now = performance.now();
    const isUsual = seconds <= Math.max(longestSeconds, stallFactor * this.#longestSeconds);
    if (isUsual || this.#segments.length < minSegments || now - this.#stalledAt < stallEveryMs) return false;
    this.#stalledAt = now;
    return true;
  }

  #add({ name, seconds }: { name: string; seconds: number }, isNew: boolean): void {
    const last = this.#segments.at(-1);
    const follows = last && !isNew ? last.at + last.seconds * 1_000 : -Infinity;
    const seen = Date.now() - seconds * 1_000;
    const at = Math.abs(follows - seen) > driftMs ? seen : follows;
    this.#segments = [...this.#segments, { name, seconds, at, isNew }];
    while (this.#segments.length > listed) {
      const [oldest, ...others] = this.#segments;
      this.#dropped++;
      if (oldest?.isNew) this.#droppedNew++;
      this.#keptRuns.push(runOf(oldest?.name ?? ''));
      this.#segments = others;
    }
    while (this.#keptRuns.length > kept)
      if (this.#keptRuns.shift() !== this.#keptRuns[0]) void this.#deleteOldRuns();
    this.#longestSeconds = Math.max(this.#longestSeconds, Math.round(seconds));
    if (seconds > longestSeconds && !this.#encode && this.#options.slots.encoders.free > 0) {
      this.#encode = true;
      this.#run?.end();
    }
  }

  /** Deletes the files of runs that are over and have no segment left. ffmpeg deletes only segments of its own run. */
  async #deleteOldRuns(): Promise<void> {
    try {
      const names = await readdir(this.#folder);
      const latest = this.#runs - 1;
      const runs = new Set([latest, ...this.#keptRuns, ...this.#segments.map(({ name }) => runOf(name))]);
      const old = names.filter((name) => name !== playlistFile && !runs.has(runOf(name)));
      await Promise.all(old.map((name) => rm(join(this.#folder, name), { force: true })));
    } catch (err) {
      const { log, roomId } = this.#options;
      if (!this.#closed) log.warn({ err, roomId }, 'old HLS segments not deleted');
    }
  }

  async #readForm(first: string, seconds: number): Promise<void> {
    const bytes = await this.file(first);
    if (!bytes) return;
    this.#bandwidth = Math.max(64_000, Math.round((bytes.length * 8 * peakFactor) / Math.max(0.1, seconds)));
    this.#form = readForm(bytes);
  }
}

/** @param name the name of a segment */
const runOf = (name: string) => Number.parseInt(name, 10);
const isGone = (error: unknown) => error instanceof ParleyError && error.code === 'NOT_FOUND';
