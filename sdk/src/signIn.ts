import { getAddress } from 'viem/utils';
import { createSiweMessage } from 'viem/siwe';
import type { Address } from '../protocol/common.ts';
import type { Network } from '../protocol/session.ts';
import type { HttpClient } from './HttpClient.ts';

/** Anything that can sign: a viem LocalAccount or WalletClient, an EIP-1193 provider, or an object with these two members. */
export type Signer =
  | { address: string; signMessage(parameters: { message: string }): Promise<string> }
  | {
      account?: { address: string } | undefined;
      signMessage(parameters: { account: unknown; message: string }): Promise<string>;
    }
  | Eip1193Provider;

export interface Eip1193Provider {
  request(parameters: { method: string; params?: unknown }): Promise<unknown>;
}

export const chainOf: Record<Network, number> = { mainnet: 1, testnet: 11155111 };

/** Asks for a nonce, has the wallet sign an EIP-4361 message, and returns what authenticate() takes. */
export async function signMessage(
  signer: Signer,
  options: { http: HttpClient; origin: string; network: Network },
): Promise<{ walletAddress: Address; message: string; signature: string }> {
  const wallet = await toWallet(signer);
  const { nonce } = await options.http.request<{ nonce: string }>('GET', '/auth/nonce');
  const message = createSiweMessage({
    domain: new URL(options.origin).host,
    address: wallet.address,
    statement: 'Sign in to Parley. This costs nothing and sends no transaction.',
    uri: options.origin,
    version: '1',
    chainId: chainOf[options.network],
    nonce,
    issuedAt: new Date(),
  });
  return { walletAddress: wallet.address, message, signature: await wallet.sign(message) };
}

interface Wallet {
  address: Address;
  sign: (message: string) => Promise<string>;
}

async function toWallet(signer: Signer): Promise<Wallet> {
  if ('address' in signer) {
    return { address: getAddress(signer.address), sign: (message) => signer.signMessage({ message }) };
  }
  if ('signMessage' in signer) {
    const { account } = signer;
    if (!account) throw new TypeError('signIn: this wallet client has no account; create it with one.');
    return {
      address: getAddress(account.address),
      sign: (message) => signer.signMessage({ account, message }),
    };
  }
  const accounts = (await signer.request({ method: 'eth_requestAccounts' })) as string[];
  const first = accounts[0];
  if (!first) throw new TypeError('signIn: the wallet shared no account.');
  return {
    address: getAddress(first),
    sign: async (message) =>
      (await signer.request({ method: 'personal_sign', params: [toHex(message), first] })) as string,
  };
}

const toHex = (text: string) =>
  `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
