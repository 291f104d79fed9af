import type { StreamChatMessage } from '@parley/sdk';
import { initialPlayerState, type PlayerState } from '@parley/sdk/player';
import type { Problem } from '../../problems/explain.ts';

/** What a viewer can do about a refusal: sign in with a wallet, try again, or open the studio. */
export type NextStep = 'wallet' | 'again' | 'studio' | null;

export interface WatchState extends PlayerState {
  /** Why the stream could not be loaded. */
  problem: Problem | null;
  /** Oldest first. */
  chat: StreamChatMessage[];
}

export const nothingYet: WatchState = { ...initialPlayerState, problem: null, chat: [] };

const nextSteps: Record<string, NextStep> = {
  gated: 'wallet',
  access_lost: 'again',
  access_unknown: 'again',
  replaced: 'again',
  own_stream: 'studio',
};

/** What a viewer can do about a refusal, by its reason. */
export const nextStep = (reason: string): NextStep => nextSteps[reason] ?? null;
