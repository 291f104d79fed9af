import { Parley } from '@parley/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

/*
 * The code that signing in needs, as one chunk that the sign-in page does not load at first. Dynamic imports of the packages
 * themselves would load all of them, including large word lists.
 */

/**
 * The session belongs to the tab, like the wallet: it survives reloads and is in no other tab. It is a dashboard session, which may
 * make calls like an app's and also manage API keys.
 */
export const newClient = () => new Parley({ apiKey: '', storage: sessionStorage, audience: 'dashboard' });

export { generatePrivateKey, privateKeyToAccount };
