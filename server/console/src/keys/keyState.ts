import type { ApiKey } from '@parley/sdk';

export type KeyState = 'active' | 'expired' | 'revoked';

/** The state of a key. Expiry is computed, because `status` reports only revocation and a key may expire while the page is open. */
export function stateOf({ status, expiresAt }: Pick<ApiKey, 'status' | 'expiresAt'>, now: Date): KeyState {
  if (status === 'revoked') return 'revoked';
  return expiresAt && expiresAt <= now ? 'expired' : 'active';
}

/** Whether a key was used within the last 15 minutes, so a program probably still uses it. */
export const isInUse = ({ lastUsedAt }: Pick<ApiKey, 'lastUsedAt'>, now: Date): boolean =>
  lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < 15 * 60_000;

/** For example svc_live_abc123…wxyz. */
export const shortKey = ({ prefix, last4 }: Pick<ApiKey, 'prefix' | 'last4'>): string => `${prefix}…${last4}`;
