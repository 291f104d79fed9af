import { ParleyError, type AnyReason } from '@parley/sdk';
import { explain, type Problem } from '../ui/explain.ts';
import type { Departure } from './roomState.ts';

type Explanation = readonly [title: string, advice: string];

/** Explanations by the reason. */
const reasons: Partial<Record<AnyReason, Explanation>> = {
  room_locked: [
    'The room is locked',
    'No new people can join. Ask a host to invite you or to unlock the room.',
  ],
  removed: ['A host removed you', 'You can join again when a host invites you.'],
  other_network: [
    'This room is on another network',
    'Its conditions use chains that your session does not cover. Ask the host for a room on this network.',
  ],
  room_full: [
    'The room is full',
    'The room has reached its maximum number of people. Try again when someone has left.',
  ],
  viewer: ['You are a viewer', 'A host made you a viewer. Raise your hand to ask to speak.'],
  screen_share_off: [
    'Screen sharing is limited to hosts',
    'Only hosts can share a screen in this room. Ask a host to make you one.',
  ],
  token_revoked: [
    'This link is no longer valid',
    'It was revoked, or it is incomplete. Ask your host for a new link.',
  ],
  token_expired: ['This link has expired', 'Ask your host for a new link.'],
  other_room: ['This link is for another room', 'Ask your host for a link to this room.'],
  not_granted: ['Your link does not allow this', 'Ask your host for a link that does.'],
  guest: ['Guests cannot enter', 'Only wallets can. Ask your host, or sign in with a wallet.'],
  chat_off: ['The chat is limited to hosts', 'Only hosts can write in this room.'],
};

/** Explains why a room could not be opened or joined. */
export function explainRoom(error: unknown): Problem {
  const problem = explain(error);
  if (!(error instanceof ParleyError)) return problem;
  const [title, advice] =
    reasons[error.reason] ??
    ((error.code === 'NOT_FOUND' || isMalformedId(error)) && !(error.cause instanceof DOMException)
      ? ['Room not found', 'The link may be incomplete. Copy the whole link again.']
      : []);
  if (!title || !advice) return problem;
  return { ...problem, title, advice, canRetry: error.code === 'ROOM_FULL' };
}

/** Whether the id in the link is invalid, for example because the link is incomplete. */
const isMalformedId = ({ code, details }: ParleyError) =>
  code === 'VALIDATION_ERROR' && (details ?? []).some(({ path }) => path === 'roomId');

/** Explains why the user is no longer in the room. `canReturn`: whether the user may join again. */
export const departures: Record<Departure, { title: string; advice: string; canReturn: boolean }> = {
  left: { title: 'You left the room', advice: 'The meeting continues without you.', canReturn: true },
  ended: { title: 'The room has ended', advice: 'A host ended it for everyone.', canReturn: false },
  empty: {
    title: 'The room has ended',
    advice: 'The room was empty, so it closed.',
    canReturn: false,
  },
  max_duration: { title: 'The room has ended', advice: 'It reached its maximum duration.', canReturn: false },
  kicked: {
    title: 'A host removed you',
    advice: 'The meeting continues. You can join again when a host invites you.',
    canReturn: false,
  },
  revoked: {
    title: 'Your link was revoked',
    advice: 'The meeting continues. Ask your host for a new link.',
    canReturn: false,
  },
  denied: {
    title: 'You were not let in',
    advice: 'A host declined your request. You can join when a host invites you.',
    canReturn: false,
  },
  access_lost: {
    title: 'You no longer meet the room’s conditions',
    advice: 'The server checks regularly, and your wallet no longer holds what is required.',
    canReturn: true,
  },
  access_unknown: {
    title: 'Your access could not be checked',
    advice: 'The chain with the room’s conditions did not respond. Try again.',
    canReturn: true,
  },
  away: {
    title: 'You were away for too long',
    advice: 'You lost the connection for too long. Join again to return.',
    canReturn: true,
  },
  other_device: {
    title: 'You joined on another device',
    advice:
      'A wallet can be in a room on one device at a time. Join here to move the meeting to this device.',
    canReturn: true,
  },
};

/** Where the explanation of a departure is another one for guests, who have a link instead of a wallet. */
export const guestDepartures: Partial<Record<Departure, { advice: string }>> = {
  kicked: { advice: 'The meeting continues. Ask your host for a new link if you want to return.' },
  other_device: {
    advice:
      'Your link can be used on one device at a time. Join here to move the meeting back to this device.',
  },
};

/** Whether the user dismissed the browser's screen picker. This is not reported as an error. */
export const isOwnRefusal = (error: unknown) =>
  error instanceof ParleyError &&
  explain(error).code === 'PERMISSION_DENIED' &&
  error.cause instanceof DOMException &&
  error.cause.message.includes('denied by user');
