import { createWalletClient, http, type PublicClient } from 'viem';
import { anvilAccount } from '../../../server/chains/demo/DemoChain.ts';
import { runAnvil } from '../../../server/chains/demo/runAnvil.ts';
import type { Funded } from '../../../server/chains/demo/testDollar.ts';
import { freePorts } from '../nodes/ports.ts';

export interface Anvil {
  url: string;
  chainId: number;
  client: PublicClient;
  /** A client of an account with ether. */
  funded: Funded;
  stop(): void;
}

/** Starts a real EVM chain with this chain id. */
export async function startAnvil(chainId: number): Promise<Anvil> {
  const { url, client, stop } = await runAnvil({ port: await freePorts(), chainId });
  const { account } = anvilAccount(0);
  return { url, chainId, client, funded: createWalletClient({ account, transport: http(url) }), stop };
}
