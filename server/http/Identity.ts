import type { Address } from '../../sdk/protocol/common.ts';
import type { Network } from '../../sdk/protocol/session.ts';

export type Audience = 'app' | 'dashboard';

/** The identity that an access token proves. */
export interface Identity {
  /** Null for a token of an outside identity provider, which has no session here. */
  sessionId: string | null;
  accountId: string;
  /** Null if the account has no wallet. */
  wallet: Address | null;
  audience: Audience;
  /** The network of the sign-in; null for a token of an outside identity provider. */
  network: Network | null;
  expiresAt: Date;
}
