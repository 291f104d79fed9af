/*
 * The statement of an EIP-4361 message, which a wallet shows to its owner before signing. In a file without zod, because the SDK
 * uses it too.
 */

export const signInStatement = 'Sign in to Parley. This costs nothing and sends no transaction.';

const linkPrefix = 'Link this wallet to the Parley account ';

/** The only statement that links a wallet to this account. It cannot be used to sign in. */
export const linkStatement = (accountId: string) =>
  `${linkPrefix}${accountId}: its other sign-ins can then act as this wallet. This costs nothing and sends no transaction.`;

export const isLinkStatement = (statement: string) => statement.startsWith(linkPrefix);
