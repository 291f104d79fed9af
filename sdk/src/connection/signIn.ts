import { checksummed, isEvmAddress } from '../../protocol/checksum.ts';
import type { EvmAddress } from '../../protocol/common.ts';
import { ParleyError } from '../../protocol/errors.ts';
import { invalid } from './guard.ts';
import type { Network } from '../../protocol/session.ts';
import { signInStatement } from '../../protocol/statements.ts';
import type { HttpClient } from '../http/HttpClient.ts';
import type { Platform } from '../platform/Platform.ts';
import { hostOf, originOf } from '../platform/url.ts';
import { utf8 } from '../platform/utf8.ts';

/** A wallet that can sign: a viem LocalAccount or WalletClient, an EIP-1193 provider, or an object with `address` and `signMessage`. */
export type Signer =
  | { address: string; signMessage(parameters: { message: string }): Promise<string> }
  | {
      account?: { address: string } | undefined;
      signMessage(parameters: { account: unknown; message: string }): Promise<string>;
    }
  | Eip1193Provider;

/** The provider of a wallet, such as `window.ethereum`. */
export interface Eip1193Provider {
  /**
   * Sends a request to the wallet (EIP-1193).
   * @param parameters the method, such as `personal_sign`, and its parameters
   * @returns the wallet's answer
   * @throws Error if the user refuses
   */
  request(parameters: { method: string; params?: unknown }): Promise<unknown>;
}

export const chainOf: Record<Network, number> = { mainnet: 1, testnet: 11155111 };

interface SignOptions {
  http: HttpClient;
  origin: string;
  network: Network;
  /** @default Ethereum on mainnet, Sepolia on testnet */
  chainId?: number | undefined;
  /** The id of the account to link the wallet to. @default none: the message is a sign-in */
  statement?: string;
}

/** @throws ParleyError VALIDATION_ERROR if `signer` is not a wallet that can sign */
export function checkSigner(method: string, signer: unknown): void {
  if (typeof signer === 'object' && signer !== null && ('signMessage' in signer || 'request' in signer))
    return;
  throw invalid(
    'signer',
    `${method}: the wallet is missing. Pass window.ethereum (which is undefined if no wallet is installed), a viem account, or { address, signMessage }.`,
  );
}

/** The origin for the sign-in message: that of the page or app shell; that of the server if there is none (Node, a local file). */
export function signInOrigin(baseUrl: string, { page }: Platform): string {
  if (page && page.origin !== 'null') return page.origin;
  return page?.host ? `${page.protocol}//${page.host}` : originOf(baseUrl);
}

/** Fetches a nonce and has the wallet sign an EIP-4361 message. @returns the parameters of authenticate() or linkIdentity() */
export async function signMessage(
  signer: Signer,
  options: SignOptions,
): Promise<{ walletAddress: EvmAddress; message: string; signature: string }> {
  const wallet = await askingWallet(() => toWallet(signer));
  const { nonce } = await options.http.request<{ nonce: string }>('GET', '/auth/nonce');
  const message = siweMessage(wallet.address, nonce, options);
  return {
    walletAddress: wallet.address,
    message,
    signature: await askingWallet(() => wallet.sign(message)),
  };
}

/** Writes an EIP-4361 message. Not done with viem's function, which rejects the domain [::1] and host names without a dot. */
function siweMessage(
  address: EvmAddress,
  nonce: string,
  { origin, network, chainId, statement = signInStatement }: SignOptions,
): string {
  return `${hostOf(origin)} wants you to sign in with your Ethereum account:
${address}

${statement}

URI: ${origin}
Version: 1
Chain ID: ${chainId ?? chainOf[network]}
Nonce: ${nonce}
Issued At: ${new Date().toISOString()}`;
}

interface Wallet {
  address: EvmAddress;
  sign: (message: string) => Promise<string>;
}

async function toWallet(signer: Signer): Promise<Wallet> {
  if ('address' in signer) {
    return { address: toEvmAddress(signer.address), sign: (message) => signer.signMessage({ message }) };
  }
  if ('signMessage' in signer) {
    const { account } = signer;
    if (!account)
      throw new ParleyError(
        'VALIDATION_ERROR',
        'This wallet client has no account. Create it with an account.',
      );
    return {
      address: toEvmAddress(account.address),
      sign: (message) => signer.signMessage({ account, message }),
    };
  }
  const accounts = (await signer.request({ method: 'eth_requestAccounts' })) as string[];
  const first = accounts[0];
  if (!first)
    throw new ParleyError(
      'AUTHENTICATION_REQUIRED',
      'The wallet did not share an account. Allow access to one account.',
    );
  return {
    address: toEvmAddress(first),
    sign: async (message) =>
      (await signer.request({ method: 'personal_sign', params: [toHex(message), first] })) as string,
  };
}

/** @throws ParleyError INVALID_ADDRESS */
export function toEvmAddress(text: string): EvmAddress {
  if (typeof (text as unknown) === 'string' && isEvmAddress(text)) return checksummed(text);
  throw new ParleyError(
    'INVALID_ADDRESS',
    `${String(text)} is not a wallet address: 0x and 40 hexadecimal digits.`,
  );
}

const toHex = (text: string) =>
  `0x${[...utf8(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;

/** Converts the errors of wallets, which all differ, to a ParleyError. */
async function askingWallet<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof ParleyError) throw cause;
    const isRefusal = (cause as { code?: unknown } | null)?.code === 4001;
    const message = isRefusal
      ? 'The owner of the wallet refused to sign. Try again.'
      : 'The wallet did not sign. Try again when it is ready.';
    throw new ParleyError('AUTHENTICATION_REQUIRED', message, { cause });
  }
}
