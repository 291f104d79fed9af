import type { SignedIn } from './SessionController.ts';

/** How somebody signed in, in words. */
export const whoIs: Record<SignedIn['kind'], string> = {
  throwaway: 'Throw-away wallet',
  wallet: 'Browser wallet',
  provider: 'Identity provider',
};
