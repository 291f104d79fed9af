import { z } from 'zod';
import { evmAddress, id, isoDate, plainText, walletAddress } from './common.ts';
import { pageOf } from './http.ts';

/** A token of the configured identity provider. */
export const providerToken = plainText.min(1).max(8_192);

/** A contract wallet's signature may be long (ERC-6492 carries the wallet's deployment). */
export const signature = z
  .string()
  .max(16_384)
  .regex(/^0x([0-9a-fA-F]{2})+$/, { error: 'a signature is 0x and hexadecimal bytes' })
  .transform((text) => text as `0x${string}`);

/** A wallet's proof: an EIP-4361 message and its signature. */
export const signedMessage = { walletAddress: evmAddress, signature, message: plainText.min(1).max(4_096) };

/** One way to sign in to an account. The wallet's id is the word `wallet`: an account has one at most. */
export const identity = z.object({
  id: z.union([z.literal('wallet'), id('idn')]),
  type: z.enum(['wallet', 'oidc']),
  walletAddress: evmAddress.nullable(),
  /** `walletAddress`, or the CAIP-10 id of a contract wallet; null for an outside identity. */
  walletId: walletAddress.nullable(),
  issuer: z.string().nullable(),
  /** What the provider calls this person. */
  subject: z.string().nullable(),
  /** As the provider has verified it. */
  email: z.string().nullable(),
  linkedAt: isoDate,
});
export type WireIdentity = z.infer<typeof identity>;
export const identities = pageOf(identity);

export const linkIdentity = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('wallet'), ...signedMessage }),
  z.strictObject({ type: z.literal('oidc'), token: providerToken }),
]);

/** What a page needs to sign somebody in at the provider: authorization code with PKCE, as a public client. */
export const provider = z.object({
  name: z.string(),
  issuer: z.string(),
  clientId: z.string(),
  scope: z.string(),
  /** Which token is ours to take: the ID token, or an access token for this audience. */
  token: z.enum(['id_token', 'access_token']),
  audience: z.string(),
});
export type WireProvider = z.infer<typeof provider>;
