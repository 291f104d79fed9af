import { Parley } from '@parley/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

/*
 * The code needed for signing in, as one chunk that the sign-in page imports dynamically. Importing the packages themselves
 * dynamically would load them completely, including large word lists.
 */

/**
 * Creates a client. It has a dashboard session, which may not only make calls, like an app session, but also manage API keys.
 * @param storage where the session survives reloads: in this tab, or shared by all tabs. Without it, the client has no session
 */
export const newClient = async (storage?: Storage) =>
  new Parley({
    apiKey: '',
    audience: 'dashboard',
    network: await usualNetwork(),
    ...(storage && { storage }),
  });

/** Creates a client for the connection test of a visitor. It has an app session, which may do little, and forgets it. */
export const newTestClient = () => new Parley({ apiKey: '' });

const limitMs = 5_000;

/** The network whose chains this server reads: the demo chain belongs to the test network. */
const usualNetwork = () =>
  fetch('/api/v1/status', { signal: AbortSignal.timeout(limitMs) })
    .then((response) => response.json() as Promise<{ network: 'mainnet' | 'testnet' }>)
    .then(({ network }) => network)
    // The server does not answer: signing in reports that.
    .catch(() => 'mainnet' as const);

export { generatePrivateKey, privateKeyToAccount };
