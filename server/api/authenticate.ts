import type { Identity } from '../http/Identity.ts';
import type { Request } from 'express';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { KeyReader } from '../money/apiKeys/KeyReader.ts';
import type { AccountPrincipal, RequestOrigin } from '../http/Principal.ts';
import type { Route } from '../http/Route.ts';

export interface Authenticators {
  keys: Pick<KeyReader, 'authenticate'>;
  /**
   * Verifies a token of this server or of the outside identity provider. The first token of an outside identity creates its account. The
   * audit log records this with the origin of the request.
   */
  verifyToken: (token: string, origin: RequestOrigin) => Promise<Identity>;
}

/** The principal of the request; null for a request without a credential on a route that requires none. */
export async function authenticate(
  request: Request,
  origin: RequestOrigin,
  credential: Route['credential'],
  { keys, verifyToken }: Authenticators,
): Promise<AccountPrincipal | null> {
  if (credential === 'none') return null;
  const { authorization } = request.headers;
  if (authorization !== undefined && request.headers['payment-signature'] !== undefined) {
    const message = 'The request has both Authorization and PAYMENT-SIGNATURE. Send only one of them.';
    throw new ParleyError('VALIDATION_ERROR', message, { reason: 'ambiguous_credentials' });
  }
  const token = bearerOf(authorization);
  if (token === null) {
    if (credential === 'optional') return null;
    throw new ParleyError(
      'AUTHENTICATION_REQUIRED',
      'The request has no credential. Send it as Authorization: Bearer <credential>.',
      {
        reason: 'missing_credentials',
      },
    );
  }
  if (token.startsWith('svc_')) return keys.authenticate(token, request.ip ?? '');
  const session = await verifyToken(token, origin);
  return { kind: 'session', accountId: session.accountId, session };
}

/** @throws ParleyError session_required, access_denied or missing_scope (with the required scope) */
export function authorise(
  principal: AccountPrincipal,
  { credential, scope }: Route,
  operators: ReadonlySet<Address>,
): void {
  if (principal.kind === 'session' && principal.session.audience === 'dashboard') {
    const { wallet } = principal.session;
    if (credential !== 'operator' || (wallet !== null && operators.has(wallet))) return;
    throw new ParleyError('ACCESS_DENIED', 'Only an operator of this server may do this.');
  }
  if (credential === 'session' && principal.kind === 'session') return;
  if (credential === 'session') {
    const message = 'An API key cannot do this, because it has no wallet. Use a session.';
    throw new ParleyError('ACCESS_DENIED', message, { reason: 'session_required' });
  }
  if (credential === 'dashboard' || credential === 'operator') {
    const message = 'Only a dashboard session may do this. Sign in to the dashboard.';
    throw new ParleyError('ACCESS_DENIED', message, { reason: 'session_required' });
  }
  // App sessions have no scopes.
  const scopes = principal.kind === 'key' ? principal.key.scopes : [];
  if (scope === null || scopes.includes(scope)) return;
  const message =
    principal.kind === 'key'
      ? `This API key needs the scope ${scope}.`
      : `An app session cannot do this. Use an API key with the scope ${scope} in your backend, or a dashboard session.`;
  throw new ParleyError('MISSING_SCOPE', message, { extra: { required: scope } });
}

/** Whether a request is of nobody in particular: its route needs no credential, and it has none. */
export const isOfUnknown = ({ headers }: Request, { credential }: Route): boolean =>
  credential === 'none' || (credential === 'optional' && bearerOf(headers.authorization) === null);

function bearerOf(authorization: string | undefined): string | null {
  const [, token] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  return token ?? null;
}
