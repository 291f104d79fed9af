import type { ApiKey } from '@parley/sdk';

export type KeyState = 'active' | 'expired' | 'revoked';

/** `status` says whether it was revoked, and `expiresAt` may pass while the page is open. */
export function stateOf({ status, expiresAt }: Pick<ApiKey, 'status' | 'expiresAt'>, now: Date): KeyState {
  if (status === 'revoked') return 'revoked';
  return expiresAt && expiresAt <= now ? 'expired' : 'active';
}

/** Used so lately that something is likely to use it still. */
export const isInUse = ({ lastUsedAt }: Pick<ApiKey, 'lastUsedAt'>, now: Date): boolean =>
  lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < 15 * 60_000;

/** svc_live_abc123…wxyz */
export const shortKey = ({ prefix, last4 }: Pick<ApiKey, 'prefix' | 'last4'>): string => `${prefix}…${last4}`;
