import type { Logger } from 'pino';
import type { WireProvider } from '../../sdk/protocol/identities.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { VerifyToken } from '../../signaling/socket/RequestContext.ts';
import type { AuditLog } from '../money/audit/AuditLog.ts';
import type { Config } from '../config/config.ts';
import type { Authenticators } from '../api/authenticate.ts';
import { IdentityService } from '../identity/provider/IdentityService.ts';
import { OutsideIdentities } from '../identity/provider/OutsideIdentities.ts';
import { ProviderKeys } from '../identity/provider/ProviderKeys.ts';
import { ProviderTokens } from '../identity/provider/ProviderTokens.ts';
import { readUnchecked } from '../identity/provider/readUnchecked.ts';
import type { ProviderServices } from '../identity/provider/routes.ts';
import type { Parts } from './Parts.ts';
import type { SessionHooks, SessionService } from '../identity/SessionService.ts';

interface IdentityPartsDeps extends Pick<Parts, 'config' | 'db' | 'log'> {
  sessions: SessionService;
  hooks: SessionHooks;
  audit: AuditLog;
}

export interface IdentityParts extends ProviderServices {
  /** Verifies tokens for the HTTP API: the server's own and those of the outside provider. */
  verifyToken: Authenticators['verifyToken'];
  /** Verifies tokens for the realtime side: only the server's own, and only of sessions with a wallet. */
  verifySocketToken: VerifyToken;
}

/** Creates the embedded identity provider and, if configured, the outside one. */
export function createIdentity(deps: IdentityPartsDeps): IdentityParts {
  const { config, db, sessions, hooks, audit, log } = deps;
  const tokens = providerTokens(config, log);
  const outsideIdentities = tokens && new OutsideIdentities({ db, tokens, sessions, hooks, log });
  return {
    outsideIdentities,
    identities: new IdentityService({ db, sessions, outsideIdentities, audit }),
    provider: providerForPages(config),
    verifyToken: (token, origin) =>
      outsideIdentities && readUnchecked(token)?.payload.iss === outsideIdentities.tokens.issuer
        ? outsideIdentities.verify(token, origin)
        : sessions.verify(token),
    async verifySocketToken(token) {
      const { sessionId, wallet, network, expiresAt } = await sessions.verifyTogether(token);
      if (sessionId && wallet && network) return { sessionId, wallet, network, expiresAt };
      const message =
        'This account has no wallet, and calls and messages need one. Link a wallet to the account, then connect again.';
      throw new ParleyError('AUTHENTICATION_REQUIRED', message);
    },
  };
}

function providerTokens(config: Config, log: Logger): ProviderTokens | null {
  const { OIDC_ISSUER: issuer, OIDC_ALGORITHMS: algorithms, OIDC_JWKS_URI: jwksUri } = config;
  const audience = config.OIDC_AUDIENCE ?? config.OIDC_CLIENT_ID;
  if (!issuer || !audience) return null;
  const [keepMs, coolDownMs] = [config.OIDC_KEYS_SECONDS * 1_000, config.OIDC_COOLDOWN_SECONDS * 1_000];
  const keys = new ProviderKeys({ issuer, jwksUri, keepMs, coolDownMs, log });
  return new ProviderTokens({ issuer, audience, clientId: config.OIDC_CLIENT_ID, algorithms, keys });
}

function providerForPages(config: Config): WireProvider | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_NAME: name, OIDC_SCOPE: scope } = config;
  if (!issuer || !clientId) return null;
  const audience = config.OIDC_AUDIENCE ?? clientId;
  return {
    name,
    issuer,
    clientId,
    scope,
    audience,
    token: audience === clientId ? 'id_token' : 'access_token',
  };
}
