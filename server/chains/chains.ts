import { BaseError, createPublicClient, type PublicClient } from 'viem';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Network } from '../../sdk/protocol/session.ts';
import type { Config } from '../config/config.ts';
import { rpcTransport } from '../outgoing/rpcTransport.ts';

/** The EVM chains this server knows, and how it asks them. */
export interface Chains {
  /** null for a chain this server does not know */
  networkOf(chainId: number): Network | null;
  /** Whether this chain can be asked at all. */
  hasRpc(chainId: number): boolean;
  /** Every chain of the network that can be asked. */
  of(network: Network): number[];
  /**
   * A client that is known to speak to this very chain. It fetches nothing but its RPC: contracts that ask for more (EIP-3668,
   * CCIP-Read) have reverted.
   * @param signal ends what the client asks
   * @throws ParleyError SERVICE_UNAVAILABLE when no RPC is configured, it does not answer in time, or it is another chain's
   */
  client(chainId: number, signal?: AbortSignal): Promise<PublicClient>;
}

/** Known whatever is configured: wallets sign in on these. */
const always = new Map<number, Network>([
  [1, 'mainnet'],
  [11155111, 'testnet'],
]);

const unavailable = (message: string, cause?: unknown) =>
  new ParleyError('SERVICE_UNAVAILABLE', message, { retryAfter: 5, cause });

const clientFor = (url: string, signal?: AbortSignal): PublicClient =>
  createPublicClient({ ccipRead: false, transport: rpcTransport(url, signal) });

export function createChains(config: Pick<Config, 'CHAINS_MAINNET' | 'CHAINS_TESTNET'>): Chains {
  const networks = new Map(always);
  const urls = new Map<number, string>();
  const clients = new Map<number, PublicClient>();
  for (const [network, chains] of [
    ['mainnet', config.CHAINS_MAINNET],
    ['testnet', config.CHAINS_TESTNET],
  ] as const) {
    for (const { chainId, url } of chains) {
      networks.set(chainId, network);
      urls.set(chainId, url);
      clients.set(chainId, clientFor(url));
    }
  }
  return {
    networkOf: (chainId) => networks.get(chainId) ?? null,
    hasRpc: (chainId) => urls.has(chainId),
    of: (network) => [...urls.keys()].filter((chainId) => networks.get(chainId) === network),
    async client(chainId, signal) {
      const url = urls.get(chainId);
      if (url === undefined)
        throw unavailable(
          `No RPC is configured for chain ${chainId}: see CHAINS_MAINNET and CHAINS_TESTNET.`,
        );
      const client = (!signal && clients.get(chainId)) || clientFor(url, signal);
      const actual = await client.getChainId().catch((cause: unknown) => {
        // viem's own text names the address, which may hold a key.
        const why = cause instanceof BaseError ? cause.shortMessage : String(cause);
        throw unavailable(`The RPC of chain ${chainId} does not answer.`, new Error(why));
      });
      if (actual !== chainId)
        throw unavailable(`The RPC configured for chain ${chainId} is chain ${actual}’s.`);
      return client;
    },
  };
}
