import { Parley } from '@parley/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

/*
 * The code that signing in needs, in one chunk that the sign-in page does not load at first. Dynamic imports of the packages
 * themselves would load the packages completely, including large word lists.
 */

/**
 * Creates a client. Its session belongs to the tab, like the wallet: it survives reloads, and no other tab has it. It is a dashboard
 * session, which may make calls, like an app session, and also manage API keys.
 */
export const newClient = () => new Parley({ apiKey: '', storage: sessionStorage, audience: 'dashboard' });

export { generatePrivateKey, privateKeyToAccount };
