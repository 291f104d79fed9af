import { Parley } from '@parley/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

/*
 * What signing in needs, and the page before it does not: loaded apart, as one piece. (Importing the packages themselves
 * dynamically would bring all of them, word lists and all.)
 */

/**
 * The session is the tab's, like the wallet: through reloads, and in no other tab. It is one of the dashboard, which this console
 * is: it may make calls as an app's may, and manage API keys.
 */
export const newClient = () => new Parley({ apiKey: '', storage: sessionStorage, audience: 'dashboard' });

export { generatePrivateKey, privateKeyToAccount };
