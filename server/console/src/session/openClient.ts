import { Parley, type Eip1193Provider, type IdentityProof, type Session } from '@parley/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { HttpClient } from '../../../../sdk/src/http/HttpClient.ts';
import { signMessage } from '../../../../sdk/src/connection/signIn.ts';

/*
 * What signing in needs, and the page before it does not: loaded apart, as one piece. (Importing the packages themselves
 * dynamically would bring all of them, word lists and all.)
 */

/**
 * The session is the tab's, like the wallet: through reloads, and in no other tab. It is one of the dashboard, which this console
 * is: it may make calls as an app's may, and manage API keys.
 */
export const newClient = () => new Parley({ apiKey: '', storage: sessionStorage, audience: 'dashboard' });

/** The HTTP side, for what the SDK has no method for: the operator's routes. */
export const httpOf = (client: Parley) =>
  new HttpClient({
    baseUrl: location.origin,
    credential: () => Promise.resolve(client.session?.token),
    // Whatever the client asks renews its token where that has run out.
    renew: () => client.account.get(),
  });

/** Lets a wallet sign that it is to be linked. */
export async function proofOf(client: Parley, wallet: Eip1193Provider): Promise<IdentityProof> {
  const { id: linkTo } = await client.account.get();
  const options = { http: httpOf(client), origin: location.origin, network: 'mainnet' as const, linkTo };
  return { type: 'wallet', ...(await signMessage(wallet, options)) };
}

/** A client with the session that follows on this one: a wallet that was linked since is that one's. */
export async function successorOf(client: Parley): Promise<Parley> {
  const { refreshToken } = client.session as Session;
  const session = await httpOf(client).request<object>('POST', '/auth/refresh', { refreshToken });
  // Where the SDK keeps it: the next client finds it there.
  sessionStorage.setItem(`parley.session ${location.origin}`, JSON.stringify(session));
  return newClient();
}

export { generatePrivateKey, privateKeyToAccount };
