import type { AccessResult, LiveStream, StreamChatMessage } from '@parley/sdk';
import type { Problem } from '../../ui/explain.ts';
import type { Tracks } from '../streamState.ts';

/** `wallet`: whoever signs in may get further. */
export interface Refusal {
  title: string;
  advice: string;
  next: 'wallet' | 'again' | 'studio' | null;
}

export interface WatchState {
  phase: 'loading' | 'missing' | 'refused' | 'open' | 'over';
  stream: LiveStream | null;
  /** Why there is nothing, or nothing new. */
  problem: Problem | null;
  refusal: Refusal | null;
  /** What this wallet lacks for the gate. */
  access: AccessResult | null;
  way: 'webrtc' | 'hls';
  /** By WebRTC. */
  tracks: Tracks;
  /** The playlist; another object with each try. */
  playlist: { url: string } | null;
  /** Nothing comes though it should, and it is tried again. */
  isStuck: boolean;
  /** What the host does not send, though WebRTC has a way: the picture, or the sound too. */
  off: 'picture' | 'all' | null;
  /** The oldest first. */
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

/** Refusals by the names the server gives them. */
export const refusals: Record<string, Refusal> = {
  private: {
    title: 'This stream is private',
    advice:
      'Its host gives away links that open it. This one lacks what opens it: ask the host for the whole link.',
    next: null,
  },
  token_void: {
    title: 'This link has run out',
    advice: 'A link to a private stream is good for a day. Ask the host for a new one.',
    next: null,
  },
  gated: {
    title: 'This stream is for holders',
    advice: 'Sign in with the wallet that holds what it asks for: the server looks, and nothing is spent.',
    next: 'wallet',
  },
  lacking: {
    title: 'Your wallet lacks what this stream asks for',
    advice: 'Once it has that, look again.',
    next: null,
  },
  banned: {
    title: 'The host has put you out',
    advice: 'This wallet can’t watch the stream or write beside it any more.',
    next: null,
  },
  access_lost: {
    title: 'You no longer have what this stream asks for',
    advice: 'The server looks again from time to time, and your wallet holds it no more.',
    next: 'again',
  },
  access_unknown: {
    title: 'Nobody could tell whether you may go on',
    advice: 'The chain this stream’s gate is on did not answer for a while. Try again.',
    next: 'again',
  },
  other_network: {
    title: 'This stream is on another network',
    advice: 'Its gate is on chains this console is not signed in to.',
    next: null,
  },
  own: {
    title: 'You send this stream from here',
    advice: 'Its page shows what you send. To see it as viewers do, open the link in another window.',
    next: 'studio',
  },
};
