import { getDefaultAsset } from '@x402/evm';
import { getAddress, parseAbi, type PublicClient } from 'viem';
import type { EvmAddress } from '../../../sdk/protocol/common.ts';

/** A token that supports transfers by signature (EIP-3009), with the name and version that its signatures contain (EIP-712). */
export interface Token {
  address: EvmAddress;
  name: string;
  version: string;
}

/** A credit's price in the token's smallest unit: one credit is a cent, which is 10,000 millionths of a dollar. */
export const atomicPerCredit = 10_000;
const decimals = 6;

const abi = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function decimals() view returns (uint8)',
]);

/** USDC on this network, as listed by x402; null if x402 lists no USDC with EIP-3009. */
export function defaultToken(network: `eip155:${number}`): Token | null {
  try {
    const { asset, name, version, decimals: places, assetTransferMethod } = getDefaultAsset(network);
    if (places !== decimals || assetTransferMethod !== undefined) return null;
    return { address: getAddress(asset), name, version };
  } catch {
    return null;
  }
}

/** Reads the properties of a configured token from its contract. @throws Error unless the token has six decimals */
export async function readToken(client: PublicClient, address: EvmAddress): Promise<Token> {
  const contract = { address, abi } as const;
  const [name, version, places] = await Promise.all([
    client.readContract({ ...contract, functionName: 'name' }),
    client.readContract({ ...contract, functionName: 'version' }),
    client.readContract({ ...contract, functionName: 'decimals' }),
  ]);
  if (places !== decimals)
    throw new Error(
      `the token ${address} has ${places} decimals instead of 6. Set another token in X402_NETWORKS`,
    );
  return { address, name, version };
}
