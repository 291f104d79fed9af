import type { Signer } from '@parley/sdk';
import { useEffect } from 'react';
import { useServices } from '../core/ParleyProvider.tsx';
import { useStore } from '../core/Store.ts';
import { createSession, type SessionState } from './SessionController.ts';

export interface Session extends SessionState {
  /** Signs in with a wallet. */
  signIn: (signer: Signer) => Promise<void>;
  /** Signs in with a temporary wallet, which lives as long as this tab. */
  signInAsGuest: () => Promise<void>;
  /** Tries again after a `problem` with the token of the app. Once the server answers, the client also does so by itself. */
  retry: () => Promise<void>;
  signOut: () => Promise<void>;
}

/**
 * The session of the client: of its storage, of the token that the app has given it, or of a sign-in. In a tab that has signed in as guest
 * before, it is restored.
 */
export function useSession(): Session {
  const controller = useServices().get(createSession);
  const state = useStore(controller.store);
  useEffect(() => void controller.resume(), [controller]);
  return {
    ...state,
    signIn: (signer) => controller.signIn(signer),
    signInAsGuest: () => controller.signInAsGuest(),
    retry: () => controller.retry(),
    signOut: () => controller.signOut(),
  };
}
