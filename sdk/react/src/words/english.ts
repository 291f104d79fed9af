import { callee } from './callee.ts';
import { calls } from './calls.ts';
import { chats } from './chats.ts';
import { conversation } from './conversation.ts';
import { devices } from './devices.ts';
import { gates } from './gates.ts';
import { groups } from './groups.ts';
import { problems } from './problems.ts';
import { departures, guestDepartures, roomProblems } from './roomProblems.ts';
import { breakouts, rooms } from './rooms.ts';
import { streams } from './streams.ts';

/** The words of all components that do not belong to one subject. */
const common = {
  cancel: 'Cancel',
  close: 'Close',
  copied: 'Copied',
  copy: 'Copy',
  copyFailed: 'The browser could not copy the text. It is selected: press Ctrl+C (⌘C).',
  dismiss: 'Dismiss',
  loading: 'Loading…',
  ok: 'OK',
  reconnecting: 'The connection was lost. Reconnecting…',
  save: 'Save',
  tryAgain: 'Try again',
  turnOff: (what: string) => `${what} off`,
  turnOn: (what: string) => `${what} on`,
  you: 'you',
  guest: 'Guest',
  guestHint: 'Came with a guest link, without a wallet',
  app: 'an app',
};

/** The words of the sign-in. */
const session = {
  title: 'Sign in',
  withWallet: (wallet: string) => `Continue with ${wallet}`,
  asGuest: 'Continue as guest',
  asGuestHint: 'We create a temporary wallet for this tab. When you close the tab, it is gone.',
  signOut: 'Sign out',
  confirmInWallet: 'Confirm the message in your wallet. It is free.',
};

/**
 * All words of the components, in English: one object per subject, in a file of its own. An app passes its own words to the provider. A
 * value is a text, or a function that puts names and numbers into one.
 */
export const english = {
  common,
  callee,
  calls,
  chats,
  conversation,
  devices,
  session,
  problems,
  rooms,
  breakouts,
  roomProblems,
  departures,
  guestDepartures,
  gates,
  groups,
  streams,
};

/** The words of all components. */
export type Words = typeof english;

/** Words that replace some of the English ones. */
export type OwnWords = { [Subject in keyof Words]?: Partial<Words[Subject]> };

/** The English words with an app's own words in their place. */
export function withOwnWords(own: OwnWords | undefined): Words {
  if (!own) return english;
  const merged = { ...english } as Record<string, object>;
  for (const [subject, words] of Object.entries(own)) merged[subject] = { ...merged[subject], ...words };
  return merged as Words;
}
