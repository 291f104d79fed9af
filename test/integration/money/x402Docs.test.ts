import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, it } from 'vitest';
import { mintTestDollars } from '../../../server/chains/demo/testDollar.ts';
import { startPayingChain } from './payingSupport.ts';
import { startSpendingServer } from './spendingServer.ts';

const page = new URL('../../../docs/x402.md', import.meta.url);
const top = fileURLToPath(new URL('../../..', import.meta.url));

it('the script of docs/x402.md pays, without any account, and gets its answer', async () => {
  const [, script = ''] = /```js\n([^]*?)```/.exec(await readFile(page, 'utf8')) ?? [];
  const chain = await startPayingChain();
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  const carryOut = ({ what }: { what: string }) => Promise.resolve(what);
  const server = await startSpendingServer({ dataDir, settings: chain.settings, carryOut });
  try {
    const key = generatePrivateKey();
    const { anvil, token } = chain;
    const to = privateKeyToAccount(key).address;
    await mintTestDollars(anvil.client, anvil.funded, { token, to, value: 100_000n });
    const env = {
      PATH: process.env.PATH,
      ADDRESS: `${server.url}/api/v1/spend`,
      KEY: key,
      TOKEN: token,
      BODY: JSON.stringify({ units: 1, what: 'it' }),
    };
    const run = ['--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, run, { env, cwd: top });
    expect(stdout).toBe('201 {"done":"it","credits":10,"balance":null}\n');
    expect(await chain.balanceOf(to)).toBe(0n);
  } finally {
    await server.close();
    chain.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});
