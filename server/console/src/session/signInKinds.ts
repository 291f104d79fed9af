import type { SignedIn } from './SessionController.ts';

/** How somebody signed in, in words. */
export const signInKinds: Record<SignedIn['kind'], string> = {
  throwaway: 'Temporary wallet',
  wallet: 'Browser wallet',
  provider: 'Identity provider',
};
