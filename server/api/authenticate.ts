import type { Identity } from '../http/Identity.ts';
import type { Request } from 'express';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { KeyReader } from '../money/apiKeys/KeyReader.ts';
import type { AccountPrincipal, RequestOrigin } from '../http/Principal.ts';
import type { Route } from '../http/Route.ts';

export interface Authenticators {
  keys: Pick<KeyReader, 'authenticate'>;
  /** The origin is for the audit log: an outside identity's first token makes its account. */
  verifyToken: (token: string, origin: RequestOrigin) => Promise<Identity>;
}

/** Who sends the request; null where it doesn't say, on a route that doesn't ask. */
export async function authenticate(
  request: Request,
  origin: RequestOrigin,
  credential: Route['credential'],
  { keys, verifyToken }: Authenticators,
): Promise<AccountPrincipal | null> {
  if (credential === 'none') return null;
  const { authorization } = request.headers;
  if (authorization !== undefined && request.headers['payment-signature'] !== undefined) {
    const message = 'Send either Authorization or PAYMENT-SIGNATURE: it must be clear who pays.';
    throw new ParleyError('VALIDATION_ERROR', message, { reason: 'ambiguous_credentials' });
  }
  const token = bearerOf(authorization);
  if (token === null) {
    if (credential === 'optional') return null;
    throw new ParleyError('AUTHENTICATION_REQUIRED', 'Send Authorization: Bearer and a credential.', {
      reason: 'missing_credentials',
    });
  }
  if (token.startsWith('svc_')) return keys.authenticate(token, request.ip ?? '');
  const session = await verifyToken(token, origin);
  return { kind: 'session', accountId: session.accountId, session };
}

/** @throws ParleyError: session_required, access_denied, or missing_scope with the scope that is needed */
export function authorise(
  principal: AccountPrincipal,
  { credential, scope }: Route,
  operators: ReadonlySet<Address>,
): void {
  if (principal.kind === 'session' && principal.session.audience === 'dashboard') {
    const { wallet } = principal.session;
    if (credential !== 'operator' || (wallet !== null && operators.has(wallet))) return;
    throw new ParleyError('ACCESS_DENIED', 'Only the operator of this server may do this.', {
      reason: 'access_denied',
    });
  }
  if (credential === 'session' && principal.kind === 'session') return;
  if (credential === 'session') {
    const message = 'Only a signed-in session may do this: an API key has no wallet.';
    throw new ParleyError('ACCESS_DENIED', message, { reason: 'session_required' });
  }
  if (credential === 'dashboard' || credential === 'operator') {
    const message = 'Only a dashboard session may do this: sign in to the dashboard.';
    throw new ParleyError('ACCESS_DENIED', message, { reason: 'session_required' });
  }
  // An app's session has no scopes.
  const scopes = principal.kind === 'key' ? principal.key.scopes : [];
  if (scope === null || scopes.includes(scope)) return;
  const who = principal.kind === 'key' ? 'This API key' : 'An app session';
  throw new ParleyError('MISSING_SCOPE', `${who} needs the scope ${scope}.`, { extra: { required: scope } });
}

function bearerOf(authorization: string | undefined): string | null {
  const [, token] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  return token ?? null;
}
