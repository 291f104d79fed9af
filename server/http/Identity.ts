import type { Address } from '../../sdk/protocol/common.ts';
import type { Network } from '../../sdk/protocol/session.ts';

export type Audience = 'app' | 'dashboard';

/** Who a bearer of a session's token is. */
export interface Identity {
  /** Null for the bearer of an outside provider's own token: no session of ours. */
  sessionId: string | null;
  accountId: string;
  /** Null where the account has none. */
  wallet: Address | null;
  audience: Audience;
  /** The one it was signed in to; null for an outside provider's own token. */
  network: Network | null;
  expiresAt: Date;
}
