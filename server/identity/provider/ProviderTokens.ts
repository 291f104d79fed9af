import { createPublicKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { plainText, safeParse } from '../../../sdk/protocol/common.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { HttpReason } from '../../../sdk/protocol/reasons.ts';
import type { ProviderKeys } from './ProviderKeys.ts';
import { readUnchecked } from './readUnchecked.ts';

type Algorithm = 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512';

interface ProviderTokensOptions {
  issuer: string;
  audience: string;
  /**
   * This server's client id at the provider, if any. A token with several audiences must have been issued to this client or to `audience`.
   */
  clientId: string | undefined;
  algorithms: Algorithm[];
  keys: Pick<ProviderKeys, 'find'>;
}

/** The verified content of a provider's token. */
export interface ProviderClaims {
  issuer: string;
  subject: string;
  /** The email address, if the provider has verified it. */
  email: string | null;
  issuedAt: Date;
  expiresAt: Date;
}

const header = z.object({
  alg: z.string(),
  kid: z.string().max(255).optional(),
  typ: z.string().optional(),
  // Critical extensions (RFC 7515) are not supported.
  crit: z.undefined().optional(),
});
const claims = z.object({
  sub: plainText.min(1).max(255),
  iat: z.number(),
  exp: z.number(),
  aud: z.union([z.string(), z.array(z.string())]),
  /** The client to which the token was issued. OpenID Connect calls it azp, and RFC 9068 client_id. */
  azp: z.string().optional(),
  client_id: z.string().optional(),
  email: plainText.max(320).optional(),
  email_verified: z.union([z.boolean(), z.string()]).optional(),
  /** Only logout tokens (OpenID Connect Back-Channel Logout) have events. They are refused. */
  events: z.undefined().optional(),
});

const clockSkewSeconds = 10;
/**
 * The maximum validity of a token, even if its exp is later, because a provider's tokens cannot be revoked here. Providers usually issue
 * tokens for an hour.
 */
const longestSeconds = 24 * 60 * 60;
/** The minimum length of an RSA key, as RFC 7518 requires. */
const fewestBits = 2_048;
/** The types of ID tokens and access tokens (RFC 9068). Other JWTs signed with the same keys are refused. */
const types = new Set(['jwt', 'at+jwt']);

/** Checks the tokens of one outside identity provider. */
export class ProviderTokens {
  readonly #options: ProviderTokensOptions;

  constructor(options: ProviderTokensOptions) {
    this.#options = options;
  }

  get issuer(): string {
    return this.#options.issuer;
  }

  /**
   * Checks the header, then the key, and then the signature, issuer, audience and times.
   * @throws ParleyError AUTHENTICATION_REQUIRED, or SERVICE_UNAVAILABLE if the provider's keys cannot be fetched
   */
  async verify(token: string): Promise<ProviderClaims> {
    const { issuer, audience, clientId, algorithms, keys } = this.#options;
    const { alg, kid, typ } = safeParse(header, readUnchecked(token)?.header).data ?? {};
    const algorithm = algorithms.find((allowed) => allowed === alg);
    if (!algorithm) throw refuse('The signature algorithm of the token is not accepted here.');
    if (typ !== undefined && !types.has(typ.toLowerCase().replace(/^application\//, '')))
      throw refuse('This type of token cannot be used to sign in. Send an ID token or access token.');
    const found = await keys.find(kid);
    if (!found) throw refuse('The identity provider does not have the key that the token names.');
    const key = createPublicKey(found.getPublicKey());
    if (isShort(key))
      throw refuse(`The identity provider’s key is too short. RSA keys need at least ${fewestBits} bits.`);
    try {
      const payload = claims.parse(
        // The algorithm that the token names is an allowed one, and only that one is accepted. jsonwebtoken checks that the key fits it.
        jwt.verify(token, key, {
          algorithms: [algorithm],
          issuer,
          audience,
          clockTolerance: clockSkewSeconds,
          maxAge: longestSeconds,
        }),
      );
      if (payload.iat > Date.now() / 1_000 + clockSkewSeconds) throw new Error('issued in the future');
      if (!isIssuedTo(payload, [audience, clientId])) throw new Error('issued to another client');
      const isVerified = payload.email_verified === true || payload.email_verified === 'true';
      return {
        issuer,
        subject: payload.sub,
        email: isVerified ? (payload.email ?? null) : null,
        issuedAt: new Date(payload.iat * 1_000),
        expiresAt: new Date(Math.min(payload.exp, payload.iat + longestSeconds) * 1_000),
      };
    } catch (cause) {
      if (cause instanceof jwt.TokenExpiredError)
        throw refuse('The token has expired. Sign in again.', 'token_expired', cause);
      throw refuse('The token is not valid. Sign in again.', 'invalid_token', cause);
    }
  }
}

/**
 * Whether the token was issued to this server. A token with several audiences might have been issued to another client that passes it on,
 * so it has to name this server as its client.
 */
function isIssuedTo({ aud, azp, client_id: client }: z.infer<typeof claims>, ours: unknown[]): boolean {
  if (typeof aud === 'string' || aud.length === 1) return true;
  const issuedTo = azp ?? client;
  return issuedTo !== undefined && ours.includes(issuedTo);
}

const isShort = ({ asymmetricKeyDetails: details }: KeyObject) =>
  details?.modulusLength !== undefined && details.modulusLength < fewestBits;

const refuse = (message: string, reason: HttpReason = 'invalid_token', cause?: unknown) =>
  new ParleyError('AUTHENTICATION_REQUIRED', message, { reason, cause });
