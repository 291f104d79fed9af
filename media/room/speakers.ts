import type { Volume } from '../router/RoomRouter.ts';

/** More people than this, and only the loudest are heard. */
export const allForwardedUpTo = 30;
export const forwardedInMultiparty = 10;

const floorDecibel = -60;
/** Somebody who stops is half as loud as before after this. */
const halfLifeMs = 700;
/** Between words, whoever speaks is still the speaker. */
const quiet = 0.04;
/** Whoever is heard stays so until somebody is clearly louder. */
const stays = 0.15;

interface Loudness {
  /** 0 to 1. */
  level: number;
  at: number;
}

/** Who is loud, over the last second or two. */
export class SpeakerRanking {
  readonly #loudness = new Map<string, Loudness>();

  hear(volumes: readonly Volume[], now: number): void {
    for (const { producerId, volume } of volumes) {
      const level = Math.min(1, Math.max(0, 1 - volume / floorDecibel));
      // A single bang is no speech; the first words of a speech count half at once.
      this.#loudness.set(producerId, { level: (this.level(producerId, now) + level) / 2, at: now });
    }
  }

  level(producerId: string, now: number): number {
    const loudness = this.#loudness.get(producerId);
    return loudness ? loudness.level * 0.5 ** ((now - loudness.at) / halfLifeMs) : 0;
  }

  /** Who speaks, the loudest first. */
  ranked(now: number): { producerId: string; level: number }[] {
    const levels = [...this.#loudness.keys()].map((id) => ({ producerId: id, level: this.level(id, now) }));
    for (const { producerId, level } of levels) if (level < quiet) this.#loudness.delete(producerId);
    return levels.filter(({ level }) => level >= quiet).sort((one, other) => other.level - one.level);
  }

  forget(producerId: string): void {
    this.#loudness.delete(producerId);
  }
}

/**
 * Whose microphones are heard in a room of so many: everybody's (null), or the loudest. Places that nobody needs stay with who had
 * them, so that a room does not fall silent between two speakers.
 */
export function forwardedIn(
  people: number,
  microphones: readonly string[],
  levelOf: (producerId: string) => number,
  before: ReadonlySet<string> | null,
): Set<string> | null {
  if (people <= allForwardedUpTo) return null;
  const weight = (id: string) => levelOf(id) + (before?.has(id) ? stays : 0);
  const sorted = [...microphones].sort((one, other) => weight(other) - weight(one));
  return new Set(sorted.slice(0, forwardedInMultiparty));
}
