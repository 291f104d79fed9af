import type { Identity } from './Identity.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import type { KeyScope } from '../../sdk/protocol/http.ts';

/** The state of an account. It is read together with the API key. */
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

/** A sender without an account, who has paid for this request (x402). */
export interface PayerPrincipal {
  kind: 'x402';
  payer: Address;
  /** Stays the same when the request runs again after a failure of the server. */
  paymentId: string;
}

/** A sender with an account. */
export type AccountPrincipal = KeyPrincipal | SessionPrincipal;
/** The sender of a request, as proven by its credential. */
export type Principal = AccountPrincipal | PayerPrincipal;

/** The facts about a request that the audit log records. */
export interface RequestOrigin {
  requestId: string;
  method: string;
  path: string;
  ip: string;
  userAgent: string | null;
}

/** The actor columns of the audit log for a principal. */
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
