import { readFileSync } from 'node:fs';
import type { Abi, Address, Hex, PublicClient, WalletClient } from 'viem';

interface Contract {
  compiler: string;
  TestDollar: { abi: Abi; bytecode: Hex };
}

/** Compiled from TestDollar.sol. */
export const { TestDollar: testDollar } = JSON.parse(
  readFileSync(new URL('./TestDollar.json', import.meta.url), 'utf8'),
) as Contract;

/** A wallet that has ether to pay for transactions. */
export type Funded = WalletClient & { account: NonNullable<WalletClient['account']> };

export async function deployTestDollar(client: PublicClient, funded: Funded): Promise<Address> {
  const hash = await funded.deployContract({ ...testDollar, account: funded.account, chain: null });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error('deploying the test token failed');
  return contractAddress;
}

/** @param value in millionths of a dollar */
export async function mintTestDollars(
  client: PublicClient,
  funded: Funded,
  { token, to, value }: { token: Address; to: Address; value: bigint },
): Promise<void> {
  const hash = await funded.writeContract({
    address: token,
    abi: testDollar.abi,
    functionName: 'mint',
    args: [to, value],
    account: funded.account,
    chain: null,
  });
  await client.waitForTransactionReceipt({ hash });
}
