import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createPublicClient, createWalletClient, http, type PublicClient, type WalletClient } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { freePorts } from './ports.ts';
import { until } from './until.ts';

export interface Anvil {
  url: string;
  chainId: number;
  client: PublicClient;
  /** Has ether. */
  funded: WalletClient;
  stop(): void;
}

/** A real EVM chain, of any chain id. */
export async function startAnvil(chainId: number): Promise<Anvil> {
  const port = await freePorts();
  const binary = createRequire(import.meta.url).resolve(
    `@foundry-rs/anvil-${process.platform}-${machine()}/bin/anvil`,
  );
  const child = spawn(binary, ['--port', String(port), '--chain-id', String(chainId), '--silent'], {
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  const transport = http(url);
  const client = createPublicClient({ transport });
  await until(() => client.getChainId().catch(() => 0), 'anvil');
  const account = mnemonicToAccount('test test test test test test test test test test test junk');
  return {
    url,
    chainId,
    client,
    funded: createWalletClient({ account, transport }),
    stop: () => child.kill('SIGKILL'),
  };
}

const machine = () => (process.arch === 'x64' ? 'amd64' : process.arch);
