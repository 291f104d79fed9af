import { z } from 'zod';
import { evmAddress, id, isoDate, plainText, walletAddress } from './common.ts';
import { pageOf } from './http.ts';

/** A token of the configured identity provider. */
export const providerToken = plainText.min(1).max(8_192).describe('A token of the identity provider.');

/** A contract wallet's signature may be long (ERC-6492 carries the wallet's deployment). */
export const signature = z
  .string()
  .max(16_384)
  .regex(/^0x([0-9a-fA-F]{2})+$/, { error: 'a signature is 0x and hexadecimal bytes' })
  .meta({ description: 'The wallet’s signature of `message`.', examples: [`0x${'5a'.repeat(65)}`] })
  .transform((text) => text as `0x${string}`);

/** A wallet's proof: an EIP-4361 message and its signature. */
export const signedMessage = {
  walletAddress: evmAddress,
  signature,
  message: plainText
    .min(1)
    .max(4_096)
    .meta({
      description: 'The signed EIP-4361 message, with a nonce of GET /auth/nonce.',
      examples: ['calls.example.org wants you to sign in with your Ethereum account:\n0x7099…'],
    }),
};

/** One way to sign in to an account. The wallet's id is the word `wallet`: an account has one at most. */
export const identity = z.object({
  id: z.union([z.literal('wallet'), id('idn')]).describe('The id of the identity: `wallet` for the wallet.'),
  type: z.enum(['wallet', 'oidc']).describe('A wallet, or a person at an identity provider (oidc).'),
  walletAddress: evmAddress.nullable().describe('The wallet’s address; null for an outside identity.'),
  /** `walletAddress`, or the CAIP-10 id of a contract wallet; null for an outside identity. */
  walletId: walletAddress
    .nullable()
    .describe('`walletAddress`, or the CAIP-10 id of a contract wallet; null for an outside identity.'),
  issuer: z.string().nullable().describe('The identity provider; null for a wallet.'),
  /** What the provider calls this person. */
  subject: z.string().nullable().describe('What the provider calls this person.'),
  /** As the provider has verified it. */
  email: z.string().nullable().describe('The e-mail address, as the provider verified it.'),
  linkedAt: isoDate.describe('When it was linked to the account.'),
});
export type WireIdentity = z.infer<typeof identity>;
export const identities = pageOf(identity);

export const linkIdentity = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('wallet').describe('Links a wallet.'), ...signedMessage }),
  z.strictObject({
    type: z.literal('oidc').describe('Links a person at the identity provider.'),
    token: providerToken,
  }),
]);

/** What a page needs to sign somebody in at the provider: authorization code with PKCE, as a public client. */
export const provider = z.object({
  name: z.string().describe('The name of the provider, for the button.'),
  issuer: z
    .string()
    .describe('The issuer of its tokens: its configuration is at /.well-known/openid-configuration there.'),
  clientId: z.string().describe('The public client to sign in as.'),
  scope: z.string().describe('The scope to ask for.'),
  /** Which token is ours to take: the ID token, or an access token for this audience. */
  token: z
    .enum(['id_token', 'access_token'])
    .describe('Which token this server takes: the ID token, or an access token for `audience`.'),
  audience: z.string().describe('The audience to ask for.'),
});
export type WireProvider = z.infer<typeof provider>;
