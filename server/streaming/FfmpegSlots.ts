import { systemMetrics } from '../../platform/metrics/metrics.ts';
import type { Config } from '../config/config.ts';

/** Slots for work on this node, with a limit in total and a limit per wallet. */
export class SharedSlots {
  readonly #limit: number;
  readonly #limitPerWallet: number;
  /** How many times each slot is taken, by wallet and by work. */
  readonly #taken = new Map<string, Map<string, number>>();

  constructor(limit: number, limitPerWallet: number) {
    this.#limit = limit;
    this.#limitPerWallet = limitPerWallet;
  }

  get taken(): number {
    let taken = 0;
    for (const works of this.#taken.values()) taken += works.size;
    return taken;
  }

  get free(): number {
    return this.#limit - this.taken;
  }

  /**
   * @param work the name of the work; taking a slot for the same work again shares the slot until both have released it
   * @returns a function that releases the slot; null if none is free or the wallet already has its share
   */
  take(wallet: string, work: string): (() => void) | null {
    const works = this.#taken.get(wallet) ?? new Map<string, number>();
    const times = works.get(work) ?? 0;
    if (times === 0 && (this.free <= 0 || works.size >= this.#limitPerWallet)) return null;
    works.set(work, times + 1);
    this.#taken.set(wallet, works);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const left = (works.get(work) ?? 0) - 1;
      if (left > 0) works.set(work, left);
      else works.delete(work);
      if (works.size === 0) this.#taken.delete(wallet);
    };
  }
}

type SlotSettings = Pick<Config, 'FFMPEG_PROCESSES' | 'FFMPEG_PROCESSES_PER_WALLET' | 'STREAM_TRANSCODES'>;

/**
 * Slots for the long-running ffmpeg processes of this node, which serve RTMP publishers, HLS and recordings. Each process counts towards
 * the limit of the host's wallet.
 */
export class FfmpegSlots {
  readonly processes: SharedSlots;
  /** Slots for processes that encode video. Each uses about one core. */
  readonly encoders: SharedSlots;

  constructor(settings: SlotSettings) {
    this.processes = new SharedSlots(settings.FFMPEG_PROCESSES, settings.FFMPEG_PROCESSES_PER_WALLET);
    const { STREAM_TRANSCODES: encoders } = settings;
    this.encoders = new SharedSlots(encoders, Math.ceil(encoders / 2));
    systemMetrics.ffmpegs.watch(() => [{ value: this.processes.taken }]);
  }
}
