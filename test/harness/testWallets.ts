import { readFileSync } from 'node:fs';
import { getAddress, type Abi, type Address, type Hex } from 'viem';
import type { Anvil } from './anvil.ts';

interface Contract {
  abi: Abi;
  bytecode: Hex;
}

type Name = 'TestWallet' | 'TestWalletFactory' | 'LookupWallet' | 'BurningWallet';

/** Compiled from TestWallet.sol by scripts/compileContracts.mjs. */
export const walletContracts = JSON.parse(
  readFileSync(new URL('../contracts/TestWallet.json', import.meta.url), 'utf8'),
) as Record<Name, Contract>;

export async function deployWallet(
  { funded, client }: Anvil,
  name: Name,
  ...args: unknown[]
): Promise<Address> {
  const { account } = funded;
  const hash = await funded.deployContract({ ...walletContracts[name], args, account, chain: null });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error(`${name} was not deployed`);
  return getAddress(contractAddress);
}
