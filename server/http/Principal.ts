import type { Address } from '../../sdk/protocol/common.ts';
import type { KeyScope } from '../../sdk/protocol/http.ts';
import type { Identity } from '../identity/SessionService.ts';

/** What the read of a key brings of its account. */
export interface AccountState {
  id: string;
  wallet: Address | null;
  email: string | null;
  credits: number;
  reserved: number;
  readonly creditsUpdatedAt: Date;
  readonly createdAt: Date;
}

interface KeyPrincipal {
  kind: 'key';
  accountId: string;
  key: { id: string; prefix: string; scopes: KeyScope[] };
  account: AccountState;
}

interface SessionPrincipal {
  kind: 'session';
  accountId: string;
  session: Identity;
}

/** Who sends a request, as its credential proves. */
export type Principal = KeyPrincipal | SessionPrincipal;

/** Where a request comes from: for the audit log. */
export interface RequestOrigin {
  requestId: string;
  method: string;
  path: string;
  ip: string;
  userAgent: string | null;
}

/** Who it is, for the audit log. */
export const actorOf = (principal: Principal) =>
  principal.kind === 'key'
    ? ({ actorType: 'api_key', actorId: principal.key.id, actorPrefix: principal.key.prefix } as const)
    : ({ actorType: 'session', actorId: principal.session.sessionId, actorPrefix: null } as const);
