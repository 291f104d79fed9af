import { createHash, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import jwt from 'jsonwebtoken';
import { Provider, type JWK } from 'oidc-provider';
import { freePorts } from '../nodes/ports.ts';

interface Key {
  kid: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
}

export const clientId = 'parley-console';
/** The resource that access tokens are for. */
export const audience = 'https://parley.example/api';
const redirectUri = 'http://127.0.0.1:1/callback';

export interface ProviderSignIn {
  idToken: string;
  /** A JWT for `audience`. */
  accessToken: string;
}

/**
 * A real OpenID provider (npm's oidc-provider) on loopback: authorization code with PKCE, a login page, consent, tokens. Tests can
 * rotate its keys, take it down, and sign any token with its keys.
 */
export class IdentityProvider {
  readonly issuer: string;
  /** How many times its keys were requested. */
  keyRequests = 0;
  readonly #port: number;
  readonly #redirectUris = [redirectUri];
  #key: Key;
  #serve: RequestListener;
  #server: Server | null = null;

  static async start(): Promise<IdentityProvider> {
    const provider = new IdentityProvider(await freePorts());
    await provider.up();
    return provider;
  }

  private constructor(port: number) {
    this.#port = port;
    this.issuer = `http://127.0.0.1:${port}`;
    this.#key = newKey();
    this.#serve = this.#make();
  }

  get key(): Key {
    return this.#key;
  }

  async up(): Promise<void> {
    const server = createServer((request, response) => {
      if (request.url === '/jwks') this.keyRequests++;
      this.#serve(request, response);
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
  }

  async down(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (!server) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  /** Adds an allowed redirect URI. */
  allow(page: string): void {
    this.#redirectUris.push(page);
    this.#serve = this.#make();
  }

  /** Signs with a new key from now on, and publishes only that one. */
  rotate(): void {
    this.#key = newKey();
    this.#serve = this.#make();
  }

  /** Signs an ID token. @param claims values that override the defaults; null removes a claim */
  sign(claims: object = {}, header: object = {}, key: KeyObject | string = this.#key.privateKey): string {
    const now = Math.floor(Date.now() / 1_000);
    const all = { iss: this.issuer, aud: clientId, sub: 'alice', iat: now, exp: now + 600, ...claims };
    const payload = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
    const given = { alg: 'RS256', kid: this.#key.kid, ...header } as jwt.JwtHeader;
    return jwt.sign(payload, key, { header: given, algorithm: given.alg as jwt.Algorithm });
  }

  /** Runs the whole flow as a browser does: the login page, consent, and the exchange of the code for tokens. */
  async signIn(login: string): Promise<ProviderSignIn> {
    const [idToken, accessToken] = [
      (await this.#flow(login, {})).id_token,
      (await this.#flow(login, { resource: audience })).access_token,
    ];
    return { idToken, accessToken };
  }

  async #flow(
    login: string,
    more: Record<string, string>,
  ): Promise<Record<'id_token' | 'access_token', string>> {
    const verifier = randomBytes(32).toString('base64url');
    const parameters = new URLSearchParams({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid email',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...more,
    });
    const client = new CookieClient(this.issuer);
    let at = await client.follow(`/auth?${parameters.toString()}`);
    for (const form of [{ prompt: 'login', login, password: 'any' }, { prompt: 'consent' }]) {
      if (at.startsWith(redirectUri)) break;
      at = await client.follow(at, new URLSearchParams(form));
    }
    const code = new URL(at).searchParams.get('code') ?? '';
    const response = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        client_id: clientId,
        redirect_uri: redirectUri,
        code_verifier: verifier,
        ...more,
      }),
    });
    if (!response.ok) throw new Error(`no tokens: ${await response.text()}`);
    return (await response.json()) as Record<'id_token' | 'access_token', string>;
  }

  #make(): RequestListener {
    const jwk = this.#key.privateKey.export({ format: 'jwk' }) as JWK;
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: clientId,
          token_endpoint_auth_method: 'none',
          redirect_uris: this.#redirectUris,
          application_type: 'native',
        },
      ],
      clientBasedCORS: () => true,
      // Put the user's claims into the ID token.
      conformIdTokenClaims: false,
      claims: { openid: ['sub'], email: ['email', 'email_verified'] },
      findAccount: (_context, sub) => ({
        accountId: sub,
        claims: () => ({ sub, email: `${sub}@example.org`, email_verified: !sub.startsWith('unverified') }),
      }),
      jwks: { keys: [{ ...jwk, kid: this.#key.kid, use: 'sig', alg: 'RS256' }] },
      cookies: { keys: ['a secret of the tests'] },
      ttl: { AccessToken: 3_600, Grant: 3_600, IdToken: 3_600, Interaction: 3_600, Session: 3_600 },
      pkce: { required: () => true },
      features: {
        devInteractions: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: () => ({
            scope: '',
            audience,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
    });
    const answer = provider.callback();
    return (request, response) => void answer(request, response);
  }
}

function newKey(): Key {
  return { kid: randomBytes(6).toString('hex'), ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}

/** A minimal browser that follows redirects and keeps cookies. */
class CookieClient {
  readonly #origin: string;
  readonly #cookies = new Map<string, string>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Follows redirects to a page of the provider or to the client. @returns the last URL */
  async follow(path: string, form?: URLSearchParams): Promise<string> {
    let at = new URL(path, this.#origin).href;
    let body = form;
    while (at.startsWith(this.#origin)) {
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(at, {
        redirect: 'manual',
        headers: { cookie },
        ...(body ? { method: 'POST', body } : {}),
      });
      body = undefined;
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        this.#cookies.set(name, value);
      }
      const next = response.headers.get('location');
      if (!next) {
        if (!response.ok) throw new Error(`${at}: ${response.status} ${await response.text()}`);
        return at;
      }
      at = new URL(next, at).href;
    }
    return at;
  }
}
