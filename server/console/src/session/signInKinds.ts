import type { SignedIn } from './SessionController.ts';

/** The labels of the sign-in methods. */
export const signInKinds: Record<SignedIn['kind'], string> = {
  throwaway: 'Temporary wallet',
  wallet: 'Browser wallet',
  provider: 'Identity provider',
};
