import { getDefaultAsset } from '@x402/evm';
import { getAddress, parseAbi, type PublicClient } from 'viem';
import type { EvmAddress } from '../../../sdk/protocol/common.ts';

/** A token that takes transfers by signature, and the name and version its signatures are made for (EIP-712). */
export interface Token {
  address: EvmAddress;
  name: string;
  version: string;
}

/** Credits are cents: 10,000 of a dollar's millionths. */
export const atomicPerCredit = 10_000;
const decimals = 6;

const abi = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function decimals() view returns (uint8)',
]);

/** USDC, as x402 knows it on this network. @returns null where it knows none that takes EIP-3009 */
export function defaultToken(network: `eip155:${number}`): Token | null {
  try {
    const { asset, name, version, decimals: places, assetTransferMethod } = getDefaultAsset(network);
    if (places !== decimals || assetTransferMethod !== undefined) return null;
    return { address: getAddress(asset), name, version };
  } catch {
    return null;
  }
}

/** A token of the operator's choice, asked for what its signatures have to say. @throws Error where it is no dollar of six decimals */
export async function readToken(client: PublicClient, address: EvmAddress): Promise<Token> {
  const contract = { address, abi } as const;
  const [name, version, places] = await Promise.all([
    client.readContract({ ...contract, functionName: 'name' }),
    client.readContract({ ...contract, functionName: 'version' }),
    client.readContract({ ...contract, functionName: 'decimals' }),
  ]);
  if (places !== decimals)
    throw new Error(`the token ${address} has ${places} decimals, and prices are for 6`);
  return { address, name, version };
}
