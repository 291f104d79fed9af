import type { StreamChatMessage } from '@parley/sdk';
import type { PlayerState } from '@parley/sdk/player';
import type { Problem } from '../../ui/explain.ts';

/** Explains a refusal. `next` is the action to offer; `wallet` means to sign in with a wallet. */
export interface Refusal {
  title: string;
  advice: string;
  next: 'wallet' | 'again' | 'studio' | null;
}

export interface WatchState extends PlayerState {
  /** Why the stream could not be loaded. */
  problem: Problem | null;
  refusal: Refusal | null;
  /** Oldest first. */
  chat: StreamChatMessage[];
}

export const nothingYet: WatchState = {
  phase: 'loading',
  stream: null,
  way: 'webrtc',
  hasMedia: false,
  isStuck: false,
  off: null,
  isSilenced: false,
  tracks: new Map(),
  reason: null,
  access: null,
  error: null,
  problem: null,
  refusal: null,
  chat: [],
};

/** The refusals, by the names that the server uses. */
export const refusals: Record<string, Refusal> = {
  token_needed: {
    title: 'This stream is private',
    advice: 'This link lacks the access token. Ask the host for the complete link.',
    next: null,
  },
  token_void: {
    title: 'This link has expired',
    advice: 'Links to private streams are valid for one day. Ask the host for a new one.',
    next: null,
  },
  gated: {
    title: 'This stream is for token holders',
    advice:
      'Sign in with a wallet that meets the conditions. The server only checks its holdings; nothing is spent.',
    next: 'wallet',
  },
  requirement_missing: {
    title: 'Your wallet does not meet the conditions',
    advice: 'Check again when it does.',
    next: null,
  },
  banned: {
    title: 'The host removed you',
    advice: 'You can no longer watch the stream or write in its chat.',
    next: null,
  },
  access_lost: {
    title: 'You no longer meet the stream’s conditions',
    advice: 'The server checks regularly, and your wallet no longer holds what is required.',
    next: 'again',
  },
  access_unknown: {
    title: 'Your access could not be checked',
    advice: 'The chain with the stream’s conditions did not respond. Try again.',
    next: 'again',
  },
  replaced: {
    title: 'You are watching on another device',
    advice: 'Your invitation is for one device at a time, and another one uses it now.',
    next: 'again',
  },
  other_network: {
    title: 'This stream is on another network',
    advice:
      'Its conditions use chains that your session does not cover. Ask the host for a stream on this network.',
    next: null,
  },
  own_stream: {
    title: 'You are sending this stream',
    advice: 'The stream’s page shows your video. To see it like a viewer, open the link in another window.',
    next: 'studio',
  },
};
