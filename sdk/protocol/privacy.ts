import { z } from 'zod';
import { isoDate } from './common.ts';
import { providerToken, signedMessage } from './identities.ts';

export const dataExport = z.object({
  status: z
    .enum(['running', 'ready', 'failed', 'expired'])
    .describe('`ready`: the archive can be downloaded. `expired`: it was deleted.'),
  done: z.int().nonnegative().describe('How many of its parts are in the archive.'),
  total: z.int().nonnegative().describe('How many parts the archive will have: subjects and media files.'),
  url: z
    .url()
    .nullable()
    .describe(
      'The signed address of the archive (ZIP), which works for about an hour; null unless it is ready.',
    ),
  size: z
    .int()
    .nonnegative()
    .nullable()
    .describe('The size of the archive in bytes; null until it is ready.'),
  requestedAt: isoDate.describe('When it was requested.'),
  finishedAt: isoDate.nullable().describe('When it was finished; null until then.'),
  expiresAt: isoDate.nullable().describe('When the archive is deleted; null until it is ready.'),
});
export type WireExport = z.infer<typeof dataExport>;

export const latestExport = z.object({
  export: dataExport.nullable().describe('The latest export; null if there was none.'),
});

/** A fresh proof that the person wants this: of the wallet, or, for an account without one, of the identity provider. */
export const deleteAccount = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('wallet').describe('A message signed by the wallet of the account.'),
    ...signedMessage,
  }),
  z.strictObject({
    type: z.literal('oidc').describe('A fresh token of a linked user of the identity provider.'),
    token: providerToken,
  }),
]);

export const deletion = z.object({
  requestedAt: isoDate.describe('When the deletion was requested.'),
  deletesAt: isoDate.describe(
    'When the account will be deleted. Until then, POST /account/restore keeps it.',
  ),
});
export type WireDeletion = z.infer<typeof deletion>;

export const pendingDeletion = z.object({
  deletion: deletion.nullable().describe('The requested deletion; null if the account stays.'),
});
