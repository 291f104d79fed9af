import { ParleyError } from '@parley/sdk';
import { explain, type Problem } from '../ui/explain.ts';
import type { Departure } from './roomState.ts';

type Said = readonly [title: string, advice: string];

/** Refusals by what they name. */
const byDetail: Record<string, Said> = {
  room_locked: ['The room is locked', 'Nobody new comes in. Ask a host to invite you, or to unlock it.'],
  removed: ['A host has sent you away', 'You can come in again when a host invites you.'],
  other_network: [
    'This room is on another network',
    'Its gate is on chains this console is not signed in to.',
  ],
  room_full: ['The room is full', 'As many are in it as may be. Try again when somebody has left.'],
  viewer: ['You are here to watch', 'A host has made you a viewer: ask for the word with your hand.'],
  screen_share_off: ['Screens are the hosts’ here', 'This room lets its hosts alone share a screen.'],
  chat_off: ['The chat is the hosts’ here', 'This room lets its hosts alone write.'],
};

/** Why a room did not open, in words. */
export function explainRoom(error: unknown): Problem {
  const problem = explain(error);
  if (!(error instanceof ParleyError)) return problem;
  const [title, advice] =
    error.details?.map(({ code }) => byDetail[code]).find((said) => said !== undefined) ??
    ((error.code === 'NOT_FOUND' || isMalformedId(error)) && !(error.cause instanceof DOMException)
      ? ['There is no such room', 'The link may be incomplete: copy it again as a whole.']
      : []);
  if (!title || !advice) return problem;
  return { ...problem, title, advice, canRetry: error.code === 'ROOM_FULL' };
}

/** A link that was cut off: the id in it is none. */
const isMalformedId = ({ code, details }: ParleyError) =>
  code === 'VALIDATION_ERROR' && (details ?? []).some(({ path }) => path === 'roomId');

/** How it ended for this person. `canReturn`: the door is open. */
export const departures: Record<Departure, { title: string; words: string; canReturn: boolean }> = {
  left: { title: 'You left the room', words: 'It goes on without you.', canReturn: true },
  ended: { title: 'The room is over', words: 'A host ended it for everybody.', canReturn: false },
  empty: {
    title: 'The room is over',
    words: 'Nobody was in it for a while, so it closed.',
    canReturn: false,
  },
  max_duration: { title: 'The room is over', words: 'It lasted as long as it may.', canReturn: false },
  kicked: {
    title: 'A host has removed you',
    words: 'The room goes on. You can come in again when a host invites you.',
    canReturn: false,
  },
  denied: {
    title: 'You were not let in',
    words: 'A host declined. You can come in when a host invites you.',
    canReturn: false,
  },
  access_lost: {
    title: 'You no longer have what this room asks for',
    words: 'The room looks again from time to time, and your wallet holds it no more.',
    canReturn: true,
  },
  access_unknown: {
    title: 'Nobody could tell whether you may stay',
    words: 'The chain this room’s gate is on did not answer for a while. Try again.',
    canReturn: true,
  },
  away: {
    title: 'You were away for too long',
    words: 'Your connection was gone, and your place went to the next one.',
    canReturn: true,
  },
  elsewhere: {
    title: 'You are in the room on another device',
    words: 'One wallet has one place in a room. Joining here takes it over.',
    canReturn: true,
  },
};
