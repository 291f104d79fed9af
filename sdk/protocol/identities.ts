import { z } from 'zod';
import { evmAddress, id, isoDate, plainText, walletAddress } from './common.ts';
import { pageOf } from './http.ts';
import { network } from './session.ts';

/** A token of the configured identity provider. */
export const providerToken = plainText.min(1).max(8_192).describe('A token of the identity provider.');

/** A wallet's signature. That of a contract wallet may be long: with ERC-6492 it contains the code that deploys the wallet. */
export const signature = z
  .string()
  .max(16_384)
  .regex(/^0x([0-9a-fA-F]{2})+$/, { error: 'must be a signature: 0x and hexadecimal bytes' })
  .meta({ description: 'The wallet’s signature of `message`.', examples: [`0x${'5a'.repeat(65)}`] })
  .transform((text) => text as `0x${string}`);

/** Proof that the sender controls a wallet: an EIP-4361 message and its signature. */
export const signedMessage = {
  walletAddress: evmAddress,
  signature,
  message: plainText
    .min(1)
    .max(4_096)
    .meta({
      description: 'The signed EIP-4361 message, with a nonce from GET /auth/nonce.',
      examples: ['calls.example.org wants you to sign in with your Ethereum account:\n0x7099…'],
    }),
};

export const nonce = z.object({
  nonce: z.string().describe('The nonce for the message.'),
  expiresAt: isoDate.describe('Until when the nonce is valid.'),
});

export const verifyWallet = z.strictObject({
  ...signedMessage,
  audience: z
    .enum(['app', 'dashboard'])
    .default('app')
    .describe('`dashboard` sessions also manage API keys, billing and the account.'),
});

const refreshToken = plainText.min(1).max(128).describe('The refresh token of the session.');
export const refreshSession = z.strictObject({ refreshToken });
export const endSession = z.strictObject({ refreshToken: refreshToken.optional() });
export const exchangeToken = z.strictObject({ token: providerToken, network: network.default('mainnet') });

/** One way to sign in to an account. An account has at most one wallet, so the id of the wallet's identity is always `wallet`. */
export const identity = z.object({
  id: z.union([z.literal('wallet'), id('idn')]).describe('The id of the identity; `wallet` for the wallet.'),
  type: z.enum(['wallet', 'oidc']).describe('A wallet, or a user of an identity provider (oidc).'),
  walletAddress: evmAddress
    .nullable()
    .describe('The address of the wallet; null for a user of an identity provider.'),
  /** `walletAddress`, or the CAIP-10 id of a contract wallet; null for a user of an identity provider. */
  walletId: walletAddress
    .nullable()
    .describe(
      '`walletAddress`, or the CAIP-10 id of a contract wallet; null for a user of an identity provider.',
    ),
  issuer: z.string().nullable().describe('The issuer of the identity provider; null for a wallet.'),
  /** The user's id at the provider; null for a wallet. */
  subject: z.string().nullable().describe('The user’s id at the provider; null for a wallet.'),
  /** The e-mail address the provider verified; null without one. */
  email: z.string().nullable().describe('The e-mail address the provider verified; null without one.'),
  linkedAt: isoDate.describe('When the identity was linked to the account.'),
});
export type WireIdentity = z.infer<typeof identity>;
export const identities = pageOf(identity);

export const linkIdentity = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('wallet').describe('Links a wallet.'), ...signedMessage }),
  z.strictObject({
    type: z.literal('oidc').describe('Links a user of the identity provider.'),
    token: providerToken,
  }),
]);

/** What a sign-in page needs to use the identity provider. The page is a public client and uses the authorization code flow with PKCE. */
export const provider = z.object({
  name: z.string().describe('The name of the provider, for the label of a button.'),
  issuer: z
    .string()
    .describe(
      'The issuer of its tokens. Its configuration is at /.well-known/openid-configuration below it.',
    ),
  clientId: z.string().describe('The id of the public client.'),
  scope: z.string().describe('The scope to request.'),
  /** Which token this server accepts: the ID token, or an access token for `audience`. */
  token: z
    .enum(['id_token', 'access_token'])
    .describe('Which token this server accepts: the ID token, or an access token for `audience`.'),
  audience: z.string().describe('The audience to request.'),
});
export type WireProvider = z.infer<typeof provider>;
export const usedProvider = z.object({
  provider: provider.nullable().describe('The provider; null if only wallets can sign in.'),
});
