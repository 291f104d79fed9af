import type { NewBreakout, Participant } from '@parley/sdk';

/** Distributes people evenly over the rooms. Hosts stay, so that they can go wherever they are called. */
export function assignEvenly(names: string[], participants: Participant[]): NewBreakout[] {
  const people = participants.filter(({ role }) => role !== 'host');
  return names.map((name, at) => ({
    name,
    participantIds: people.filter((_, index) => index % names.length === at).map(({ id }) => id),
  }));
}

/** Assigns people as chosen. @param chosen the index of the room by participant id; those without one stay */
export function assignByHand(
  names: string[],
  participants: Participant[],
  chosen: ReadonlyMap<string, number>,
): NewBreakout[] {
  return names.map((name, at) => ({
    name,
    participantIds: participants.filter(({ id }) => chosen.get(id) === at).map(({ id }) => id),
  }));
}
