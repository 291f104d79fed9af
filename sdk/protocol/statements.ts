/* The statement of an EIP-4361 message: what a wallet shows its owner before it signs. No zod here: the SDK uses these too. */

export const signInStatement = 'Sign in to Parley. This costs nothing and sends no transaction.';

const linkWords = 'Link this wallet to the Parley account ';

/** The only statement that links a wallet to this account. It signs nobody in. */
export const linkStatement = (accountId: string) =>
  `${linkWords}${accountId}: its other sign-ins can then act as this wallet. This costs nothing and sends no transaction.`;

export const isLinkStatement = (statement: string) => statement.startsWith(linkWords);
