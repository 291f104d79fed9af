import type { AccessResult, LiveStream, StreamChatMessage } from '@parley/sdk';
import type { Problem } from '../../ui/explain.ts';
import type { Tracks } from '../streamState.ts';

/** Explains a refusal. `next` is the action to offer; `wallet` means to sign in with a wallet. */
export interface Refusal {
  title: string;
  advice: string;
  next: 'wallet' | 'again' | 'studio' | null;
}

export interface WatchState {
  phase: 'loading' | 'missing' | 'refused' | 'open' | 'over';
  stream: LiveStream | null;
  /** Why the stream could not be loaded. */
  problem: Problem | null;
  refusal: Refusal | null;
  /** The result of checking the gate for this wallet, with the requirements that it does not meet. */
  access: AccessResult | null;
  way: 'webrtc' | 'hls';
  /** The tracks received by WebRTC. */
  tracks: Tracks;
  /** The HLS playlist. A new object with each attempt. */
  playlist: { url: string } | null;
  /** Whether media is missing although the stream is live. The player then tries again. */
  isStuck: boolean;
  /** Whether the host has turned off the video or everything, although WebRTC is connected. */
  off: 'video' | 'all' | null;
  /** Oldest first. */
  chat: StreamChatMessage[];
}

export const nothingYet: WatchState = {
  phase: 'loading',
  stream: null,
  problem: null,
  refusal: null,
  access: null,
  way: 'webrtc',
  tracks: new Map(),
  playlist: null,
  isStuck: false,
  off: null,
  chat: [],
};

/** The refusals, by the names that the server uses. */
export const refusals: Record<string, Refusal> = {
  private: {
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
  lacking: {
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
  own: {
    title: 'You are sending this stream',
    advice: 'The stream’s page shows your video. To see it like a viewer, open the link in another window.',
    next: 'studio',
  },
};
