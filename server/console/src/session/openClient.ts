import { Parley } from '@parley/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

/*
 * The code needed for signing in, as one chunk that the sign-in page imports dynamically. Importing the packages themselves
 * dynamically would load them completely, including large word lists.
 */

/**
 * Creates a client. Its session belongs to this tab, as a temporary wallet does: it survives reloads, and no other tab has it. It is a
 * dashboard session, which may not only make calls, like an app session, but also manage API keys.
 */
export const newClient = () => new Parley({ apiKey: '', storage: sessionStorage, audience: 'dashboard' });

export { generatePrivateKey, privateKeyToAccount };
