import { createPublicKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { plainText, safeParse } from '../../../sdk/protocol/common.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { ProviderKeys } from './ProviderKeys.ts';
import { readUnchecked } from './readUnchecked.ts';

type Algorithm = 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512';

interface ProviderTokensOptions {
  issuer: string;
  audience: string;
  /** Our own client at the provider, where it has one: tokens for several audiences have to be issued to it. */
  clientId: string | undefined;
  algorithms: Algorithm[];
  keys: Pick<ProviderKeys, 'find'>;
}

/** Whom a provider's token is about. */
export interface ProviderClaims {
  issuer: string;
  subject: string;
  /** Only one the provider says it has verified. */
  email: string | null;
  issuedAt: Date;
  expiresAt: Date;
}

const header = z.object({
  alg: z.string(),
  kid: z.string().max(255).optional(),
  typ: z.string().optional(),
  // Extensions we would have to understand (RFC 7515): we know none.
  crit: z.undefined().optional(),
});
const claims = z.object({
  sub: plainText.min(1).max(255),
  iat: z.number(),
  exp: z.number(),
  aud: z.union([z.string(), z.array(z.string())]),
  /** To which client it was issued: OpenID Connect's name, and that of RFC 9068. */
  azp: z.string().optional(),
  client_id: z.string().optional(),
  email: plainText.max(320).optional(),
  email_verified: z.union([z.boolean(), z.string()]).optional(),
  /** A logout token (OpenID Connect Back-Channel Logout) signs nobody in. */
  events: z.undefined().optional(),
});

const clockSkewSeconds = 10;
/** Nobody can revoke such a token here, so it is good for a day at most, whatever its exp says. Providers' own default is an hour. */
const longestSeconds = 24 * 60 * 60;
/** Of an RSA key, as RFC 7518 requires it. */
const fewestBits = 2_048;
/** ID tokens and access tokens (RFC 9068): other kinds of JWT the same keys sign are none of these. */
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
   * Header first, then the key, then signature, issuer, audience and times.
   * @throws ParleyError AUTHENTICATION_REQUIRED, or SERVICE_UNAVAILABLE where the provider's keys can't be had
   */
  async verify(token: string): Promise<ProviderClaims> {
    const { issuer, audience, clientId, algorithms, keys } = this.#options;
    const { alg, kid, typ } = safeParse(header, readUnchecked(token)?.header).data ?? {};
    const algorithm = algorithms.find((allowed) => allowed === alg);
    if (!algorithm) throw refuse('The token’s signature is not of a kind that is accepted here.');
    if (typ !== undefined && !types.has(typ.toLowerCase().replace(/^application\//, '')))
      throw refuse('This kind of token signs nobody in.');
    const found = await keys.find(kid);
    if (!found) throw refuse('The identity provider has no such key as the token names.');
    const key = createPublicKey(found.getPublicKey());
    if (isShort(key)) throw refuse(`The identity provider’s key is too short: RSA takes ${fewestBits} bits.`);
    try {
      const payload = claims.parse(
        // One algorithm, the token's, out of those that are allowed; and the key must be of its kind.
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
        throw refuse('The token has expired: sign in again.', 'token_expired', cause);
      throw refuse('The token is not valid: sign in again.', 'invalid_token', cause);
    }
  }
}

/** A token for us and others may be one that another client of the provider got, and passes on. */
function isIssuedTo({ aud, azp, client_id: client }: z.infer<typeof claims>, ours: unknown[]): boolean {
  if (typeof aud === 'string' || aud.length === 1) return true;
  const issuedTo = azp ?? client;
  return issuedTo !== undefined && ours.includes(issuedTo);
}

const isShort = ({ asymmetricKeyDetails: details }: KeyObject) =>
  details?.modulusLength !== undefined && details.modulusLength < fewestBits;

const refuse = (message: string, reason = 'invalid_token', cause?: unknown) =>
  new ParleyError('AUTHENTICATION_REQUIRED', message, { reason, cause });
