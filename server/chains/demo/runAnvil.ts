import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { createPublicClient, type PublicClient } from 'viem';
import { rpcTransport } from '../../outgoing/rpcTransport.ts';

export interface RunningAnvil {
  url: string;
  client: PublicClient;
  stop: () => void;
}

const startLimitMs = 15_000;
/** A shell script that kills the chain when its standard input closes. It closes when the server ends, in whatever way. */
const guard = '"$@" </dev/null & chain=$!; cat >/dev/null; kill -9 "$chain"';

/** Starts a real EVM chain that is kept in memory and listens only on the loopback interface. */
export async function runAnvil({ port, chainId }: { port: number; chainId: number }): Promise<RunningAnvil> {
  // The gas limit is random, to distinguish this chain from another one that may have taken the port.
  const gasLimit = 30_000_000 + randomInt(1_000_000);
  const options = ['--port', String(port), '--chain-id', String(chainId), '--gas-limit', String(gasLimit)];
  // A separate process group, so that Ctrl+C reaches only the server, which then stops the chain.
  const child = spawn('sh', ['-c', guard, 'anvil', anvilBinary(), '--silent', ...options], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const url = `http://127.0.0.1:${port}`;
  const client = createPublicClient({ ccipRead: false, transport: rpcTransport(url), pollingInterval: 50 });
  const stop = () => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  };
  const deadline = performance.now() + startLimitMs;
  for (;;) {
    const first = await client.getBlock({ blockNumber: 0n }).catch(() => null);
    if (first?.gasLimit === BigInt(gasLimit)) return { url, client, stop };
    if (first || performance.now() > deadline) {
      stop();
      throw new Error(
        first ? `port ${port} is used by another chain` : `anvil does not answer on port ${port}`,
      );
    }
    await delay(25);
  }
}

function anvilBinary(): string {
  const machine = process.arch === 'x64' ? 'amd64' : process.arch;
  try {
    return createRequire(import.meta.url).resolve(
      `@foundry-rs/anvil-${process.platform}-${machine}/bin/anvil`,
    );
  } catch {
    throw new Error('anvil is not installed. Install the development packages with npm install.');
  }
}
