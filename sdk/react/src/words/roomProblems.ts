import type { Explanation } from './problems.ts';

/** Explanations of errors in rooms and of guests' links, by the reason. `no_room` is a room that does not exist. */
export const roomProblems: Record<string, Explanation> & { no_room: Explanation } = {
  no_room: ['Room not found', 'The link may be incomplete. Copy the whole link again.'],
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

/** Why the user is no longer in the room, and what to do next. */
export const departures = {
  left: ['You left the room', 'The meeting continues without you.'],
  ended: ['The room has ended', 'A host ended it for everyone.'],
  empty: ['The room has ended', 'The room was empty, so it closed.'],
  max_duration: ['The room has ended', 'It reached its maximum duration.'],
  kicked: ['A host removed you', 'The meeting continues. You can join again when a host invites you.'],
  revoked: ['Your link was revoked', 'The meeting continues. Ask your host for a new link.'],
  denied: ['You were not let in', 'A host declined your request. You can join when a host invites you.'],
  access_lost: [
    'You no longer meet the room’s conditions',
    'The server checks regularly, and your wallet no longer holds what is required.',
  ],
  access_unknown: [
    'Your access could not be checked',
    'The chain with the room’s conditions did not respond. Try again.',
  ],
  away: ['You were away for too long', 'You lost the connection for too long. Join again to return.'],
  other_device: [
    'You joined on another device',
    'A wallet can be in a room on one device at a time. Join here to move the meeting to this device.',
  ],
} satisfies Record<string, Explanation>;

/** Why this device is no longer in a room. */
export type Departure = keyof typeof departures;

/** What differs for guests, who have a link instead of a wallet. */
export const guestDepartures: Partial<Record<Departure, Explanation>> = {
  kicked: [
    'A host removed you',
    'The meeting continues. Ask your host for a new link if you want to return.',
  ],
  other_device: [
    'You joined on another device',
    'Your link can be used on one device at a time. Join here to move the meeting back to this device.',
  ],
};
