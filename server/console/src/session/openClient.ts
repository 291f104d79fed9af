import { Parley } from '@parley/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

/*
 * What signing in needs, and the page before it does not: loaded apart, as one piece. (Importing the packages themselves
 * dynamically would bring all of them, word lists and all.)
 */

export const newClient = (sessionToken?: string) =>
  new Parley({ apiKey: '', ...(sessionToken ? { sessionToken } : {}) });

export { generatePrivateKey, privateKeyToAccount };
