import type { Config } from '../config/config.ts';

/** So many of something at a time on this node, and of these so many for one wallet: nobody takes all. */
export class SharedSlots {
  readonly #most: number;
  readonly #mostOfWallet: number;
  /** By wallet, by what it is for: how often it was taken. */
  readonly #taken = new Map<string, Map<string, number>>();

  constructor(most: number, mostOfWallet: number) {
    this.#most = most;
    this.#mostOfWallet = mostOfWallet;
  }

  get free(): number {
    let taken = 0;
    for (const works of this.#taken.values()) taken += works.size;
    return this.#most - taken;
  }

  /**
   * @param work what it is for. Who takes over a piece of work shares the place until the former gives it back
   * @returns what gives it back; null where none is free, or the wallet has its share
   */
  take(wallet: string, work: string): (() => void) | null {
    const works = this.#taken.get(wallet) ?? new Map<string, number>();
    const times = works.get(work) ?? 0;
    if (times === 0 && (this.free <= 0 || works.size >= this.#mostOfWallet)) return null;
    works.set(work, times + 1);
    this.#taken.set(wallet, works);
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      const left = (works.get(work) ?? 0) - 1;
      if (left > 0) works.set(work, left);
      else works.delete(work);
      if (works.size === 0) this.#taken.delete(wallet);
    };
  }
}

type SlotSettings = Pick<Config, 'FFMPEG_PROCESSES' | 'FFMPEG_PROCESSES_PER_WALLET' | 'STREAM_TRANSCODES'>;

/** For every ffmpeg of this node that runs on: publishers by RTMP, HLS, and films of recordings. Each belongs to the host's wallet. */
export class FfmpegSlots {
  readonly processes: SharedSlots;
  /** For those of them that encode pictures: each takes about a core. */
  readonly encoders: SharedSlots;

  constructor(settings: SlotSettings) {
    this.processes = new SharedSlots(settings.FFMPEG_PROCESSES, settings.FFMPEG_PROCESSES_PER_WALLET);
    const { STREAM_TRANSCODES: encoders } = settings;
    this.encoders = new SharedSlots(encoders, Math.ceil(encoders / 2));
  }
}
