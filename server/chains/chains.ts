import { BaseError, createPublicClient, type PublicClient } from 'viem';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Network } from '../../sdk/protocol/session.ts';
import type { Config } from '../config/config.ts';
import { rpcTransport } from '../outgoing/rpcTransport.ts';

/** The EVM chains that this server knows, and clients for them. */
export interface Chains {
  /** null for a chain that this server does not know. */
  networkOf(chainId: number): Network | null;
  /** Whether an RPC is configured for the chain. */
  hasRpc(chainId: number): boolean;
  /** All chains of the network that have an RPC. */
  of(network: Network): number[];
  /**
   * Returns a client after checking that its RPC belongs to this chain. The client fetches only from that RPC: if a contract asks it to
   * fetch data from elsewhere (EIP-3668, CCIP-Read), the call is treated as reverted.
   * @param signal aborts the client's requests
   * @throws ParleyError SERVICE_UNAVAILABLE if no RPC is configured, or if the RPC does not answer in time or belongs to another chain
   */
  client(chainId: number, signal?: AbortSignal): Promise<PublicClient>;
}

/** Chains that the server knows without any configuration, because wallets sign in on them. */
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
          `No RPC is configured for chain ${chainId}. The operator can add one to CHAINS_MAINNET or CHAINS_TESTNET.`,
        );
      const client = (!signal && clients.get(chainId)) || clientFor(url, signal);
      const actual = await client.getChainId().catch((cause: unknown) => {
        // viem's full message contains the URL, which may contain an API key.
        const why = cause instanceof BaseError ? cause.shortMessage : String(cause);
        throw unavailable(`The RPC of chain ${chainId} does not answer. Try again later.`, new Error(why));
      });
      if (actual !== chainId)
        throw unavailable(
          `The RPC configured for chain ${chainId} belongs to chain ${actual}. The operator must correct it.`,
        );
      return client;
    },
  };
}
