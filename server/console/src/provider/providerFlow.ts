import type { Provider } from '@parley/sdk';
import * as oauth from 'oauth4webapi';
import { returnPath } from './returnPath.ts';

/** The state of a sign-in that this tab keeps while the user is on the provider's pages. */
interface Away {
  purpose: Purpose;
  /** The page to show afterwards. */
  returnTo: string;
  verifier: string;
  state: string;
  nonce: string;
}

/** What the flow is for: to sign in, to link the identity to the signed-in account, or to have that account deleted. */
export type Purpose = 'signIn' | 'link' | 'delete';

export interface Returned {
  purpose: Purpose;
  returnTo: string;
  /** The provider's token, for signInWithProvider, linkIdentity or account.delete. */
  token: string;
}

const key = 'parley.provider';
const redirectUri = () => `${location.origin}${returnPath}`;

/** Opens the provider's sign-in page. Uses the authorization code flow with PKCE, as a public client. */
export async function leaveForProvider(provider: Provider, purpose: Purpose): Promise<void> {
  const server = await discover(provider);
  const verifier = oauth.generateRandomCodeVerifier();
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
  const away: Away = { purpose, returnTo: location.pathname, verifier, state, nonce };
  sessionStorage.setItem(key, JSON.stringify(away));
  const target = new URL(server.authorization_endpoint ?? '');
  const request = {
    client_id: provider.clientId,
    redirect_uri: redirectUri(),
    response_type: 'code',
    scope: provider.scope,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...audienceOf(provider),
    // Another person who uses this browser may be signed in at the provider, but does not know the password.
    ...(purpose === 'delete' && { prompt: 'login' }),
  };
  for (const [name, value] of Object.entries(request)) target.searchParams.set(name, value);
  location.assign(target);
}

/**
 * Completes the flow on the page to which the provider redirects.
 * @returns null if this tab did not start a flow
 * @throws if the provider refused, or if its answer does not belong to this tab's request
 */
export async function returnFromProvider(provider: Provider): Promise<Returned | null> {
  const away = takeAway();
  if (location.pathname !== returnPath || !away) return null;
  const server = await discover(provider);
  const client = { client_id: provider.clientId };
  const parameters = oauth.validateAuthResponse(server, client, new URL(location.href), away.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    redirectUri(),
    away.verifier,
    { ...optionsFor(provider), additionalParameters: audienceOf(provider) },
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: away.nonce,
    requireIdToken: true,
  });
  const token = provider.token === 'id_token' ? tokens.id_token : tokens.access_token;
  if (!token) throw new Error('The provider sent no token. Sign in again.');
  return { purpose: away.purpose, returnTo: away.returnTo, token };
}

/** Reads and deletes the state, so that an answer is accepted only once. */
function takeAway(): Away | null {
  const text = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  return text === null ? null : (JSON.parse(text) as Away);
}

async function discover(provider: Provider): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(provider.issuer);
  const response = await oauth.discoveryRequest(issuer, optionsFor(provider));
  return oauth.processDiscoveryResponse(issuer, response);
}

/** Requests an access token for this server, by RFC 8707's parameter and by the one that some providers used before that RFC. */
function audienceOf({ token, audience }: Provider): Record<string, string> {
  return token === 'access_token' ? { resource: audience, audience } : {};
}

/** Allows plain http, for a provider on the developer's machine. The server refuses it in production. */
const optionsFor = ({ issuer }: Provider) => ({
  [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
});
