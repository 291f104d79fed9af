import { readFileSync } from 'node:fs';
import type { Abi, Address, Hex, PublicClient } from 'viem';
import type { Funded } from './testDollar.ts';

interface Contract {
  DemoNft: { abi: Abi; bytecode: Hex };
}

/** Compiled from DemoNft.sol. */
const { DemoNft: demoNft } = JSON.parse(
  readFileSync(new URL('./DemoNft.json', import.meta.url), 'utf8'),
) as Contract;

export async function deployDemoNft(client: PublicClient, funded: Funded): Promise<Address> {
  const hash = await funded.deployContract({ ...demoNft, account: funded.account, chain: null });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error('deploying the demo NFT failed');
  return contractAddress;
}

export async function mintDemoNft(
  client: PublicClient,
  funded: Funded,
  { nft, to }: { nft: Address; to: Address },
): Promise<void> {
  const call = { address: nft, abi: demoNft.abi, functionName: 'mint', args: [to] } as const;
  const hash = await funded.writeContract({ ...call, account: funded.account, chain: null });
  await client.waitForTransactionReceipt({ hash });
}
