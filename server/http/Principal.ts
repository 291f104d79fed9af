import type { Identity } from './Identity.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import type { KeyScope } from '../../sdk/protocol/http.ts';

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

/** Somebody without an account, who paid for this one request (x402). */
export interface PayerPrincipal {
  kind: 'x402';
  payer: Address;
  /** The same when the request runs again, because we had failed. */
  paymentId: string;
}

/** Who has an account here. */
export type AccountPrincipal = KeyPrincipal | SessionPrincipal;
/** Who sends a request, as its credential proves. */
export type Principal = AccountPrincipal | PayerPrincipal;

/** Where a request comes from: for the audit log. */
export interface RequestOrigin {
  requestId: string;
  method: string;
  path: string;
  ip: string;
  userAgent: string | null;
}

/** Who it is, for the audit log. */
export function actorOf(principal: Principal) {
  switch (principal.kind) {
    case 'key':
      return {
        accountId: principal.accountId,
        actorType: 'api_key',
        actorId: principal.key.id,
        actorPrefix: principal.key.prefix,
      } as const;
    case 'session':
      return {
        accountId: principal.accountId,
        actorType: 'session',
        actorId: principal.session.sessionId,
        actorPrefix: null,
      } as const;
    case 'x402':
      return {
        accountId: null,
        actorType: 'x402',
        actorId: principal.paymentId,
        actorPrefix: null,
        actorPayer: principal.payer,
      } as const;
  }
}
