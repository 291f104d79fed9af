import type { Volume } from '../router/routerOperations.ts';

/** In rooms with more participants than this, only the loudest microphones are forwarded. */
export const allForwardedUpTo = 30;
export const forwardedInMultiparty = 10;

const floorDecibel = -60;
/** The time in which the level of a speaker who has stopped halves. */
const halfLifeMs = 700;
/** The level below which a person no longer counts as speaking. It is low enough to bridge the gaps between words. */
const minLevel = 0.04;
/** A forwarded microphone stays forwarded until another one is louder by this much. */
const holdBonus = 0.15;

interface Loudness {
  /** 0 to 1. */
  level: number;
  at: number;
}

/** Ranks microphones by their loudness over the last seconds. */
export class SpeakerRanking {
  readonly #loudness = new Map<string, Loudness>();

  update(volumes: readonly Volume[], now: number): void {
    for (const { producerId, volume } of volumes) {
      const level = Math.min(1, Math.max(0, 1 - volume / floorDecibel));
      // Averaging dampens a single loud noise, while the start of speech still counts by half immediately.
      this.#loudness.set(producerId, { level: (this.level(producerId, now) + level) / 2, at: now });
    }
  }

  level(producerId: string, now: number): number {
    const loudness = this.#loudness.get(producerId);
    return loudness ? loudness.level * 0.5 ** ((now - loudness.at) / halfLifeMs) : 0;
  }

  /** The speakers, the loudest first. */
  ranked(now: number): { producerId: string; level: number }[] {
    const levels = [...this.#loudness.keys()].map((id) => ({ producerId: id, level: this.level(id, now) }));
    for (const { producerId, level } of levels) if (level < minLevel) this.#loudness.delete(producerId);
    return levels.filter(({ level }) => level >= minLevel).sort((one, other) => other.level - one.level);
  }

  forget(producerId: string): void {
    this.#loudness.delete(producerId);
  }
}

/**
 * The microphones to forward in a room with this many participants: the loudest, or null for all. If fewer people speak than can be
 * forwarded, the previous speakers stay forwarded, so that a room does not fall silent between two speakers.
 */
export function forwardedIn(
  people: number,
  microphones: readonly string[],
  levelOf: (producerId: string) => number,
  before: ReadonlySet<string> | null,
): Set<string> | null {
  if (people <= allForwardedUpTo) return null;
  const weight = (id: string) => levelOf(id) + (before?.has(id) ? holdBonus : 0);
  const sorted = [...microphones].sort((one, other) => weight(other) - weight(one));
  return new Set(sorted.slice(0, forwardedInMultiparty));
}
