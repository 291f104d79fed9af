/*
 * The statements of EIP-4361 messages, which a wallet shows to its owner before signing. The SDK uses this file too, so it must not
 * import zod, which the SDK's bundle must not contain.
 */

export const signInStatement = 'Sign in to Parley. This costs nothing and sends no transaction.';

const linkPrefix = 'Link this wallet to the Parley account ';

/**
 * The only statement that can link a wallet to this account. A message with it cannot be used to sign in. Never throws.
 * @param accountId the `id` from client.account.get()
 * @returns the statement for an EIP-4361 message
 */
export const linkStatement = (accountId: string): string =>
  `${linkPrefix}${accountId}: its other sign-ins can then act as this wallet. This costs nothing and sends no transaction.`;

const deletePrefix = 'Delete the Parley account ';

/**
 * The only statement that can delete this account. A message with it cannot be used to sign in. Never throws.
 * @param accountId the `id` from client.account.get()
 * @returns the statement for an EIP-4361 message
 */
export const deleteStatement = (accountId: string): string =>
  `${deletePrefix}${accountId} with all its data. Until the date that is shown next, this can be undone. This costs nothing and sends no transaction.`;

/** Whether a message with this statement is for something else than signing in. */
export const isOtherPurpose = (statement: string) =>
  statement.startsWith(linkPrefix) || statement.startsWith(deletePrefix);
