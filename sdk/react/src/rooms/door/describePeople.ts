import type { ConferenceRoom } from '@parley/sdk';
import { partyName } from '../../people/partyName.ts';
import { rooms as english } from '../../words/rooms.ts';
import { nameOf } from '../roomState.ts';

/** The maximum number of names to list. Further people are only counted. */
const named = 3;

/** Describes who is in a room, as far as somebody outside it may know. @param words @default the English ones */
export function describePeople(
  { host, status, participants }: ConferenceRoom,
  isHost: boolean,
  words = english,
): string {
  if (participants.length > 0) return isOrAre(participants.map(nameOf), words);
  if (status === 'waiting') return `${words.hostedBy(partyName(host))} ${words.nobodyYet}`;
  // The server lists participants only to wallets that may enter. The host always may, so a host's empty list means an empty room.
  if (isHost) return words.nobodyNow;
  return `${words.hostedBy(partyName(host))} ${words.hasStarted}`;
}

function isOrAre(everybody: string[], words: typeof english): string {
  const names = everybody.slice(0, named);
  const more = everybody.length - names.length;
  const all = more > 0 ? [...names, words.andMore(more)] : names;
  const last = all.pop() ?? '';
  return all.length > 0 ? words.areHere(all.join(', '), last) : words.isHere(last);
}
