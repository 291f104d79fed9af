import { partyName } from '@parley/react';
import type { ConferenceRoom } from '@parley/sdk';
import { nameOf } from '../../rooms/roomState.ts';

/** The maximum number of names to list. Further people are only counted. */
const named = 3;

/** Describes who is in a room, as far as somebody outside it may know. */
export function describePeople({ host, status, participants }: ConferenceRoom, isHost: boolean): string {
  if (participants.length > 0) return isOrAre(participants.map(nameOf));
  if (status === 'waiting') return `Hosted by ${partyName(host)}. Nobody has joined yet.`;
  // The server lists participants only to wallets that may enter. The host always may, so a host's empty list means an empty room.
  if (isHost) return 'Nobody is in the room at the moment.';
  return `Hosted by ${partyName(host)}. The meeting has started. You see who is there when you join.`;
}

function isOrAre(everybody: string[]): string {
  const names = everybody.slice(0, named);
  const more = everybody.length - names.length;
  const all = more > 0 ? [...names, `${more} more`] : names;
  const last = all.pop() ?? '';
  return all.length > 0 ? `${all.join(', ')} and ${last} are in the room.` : `${last} is in the room.`;
}
