import type { RoomState } from '@parley/sdk';
import type { Words } from '../words/english.ts';
import { nameOf } from './roomState.ts';

/** What people have done between two states of a room, for screen readers; null if nothing. */
export function announcementOf(
  before: Pick<RoomState, 'participants'>,
  { participants, own }: Pick<RoomState, 'participants' | 'own'>,
  words: Words['rooms'],
): string | null {
  if (participants === before.participants) return null;
  for (const one of participants) {
    const known = before.participants.find(({ id }) => id === one.id);
    if (!known) return words.joined(nameOf(one));
    if (one.screen !== known.screen)
      return one.screen ? words.startedSharing(nameOf(one)) : words.stoppedSharing(nameOf(one));
    if (one.handRaised && !known.handRaised && one.id !== own?.id) return words.raisedHand(nameOf(one));
  }
  const gone = before.participants.find(({ id }) => !participants.some((one) => one.id === id));
  return gone ? words.left(nameOf(gone)) : null;
}
