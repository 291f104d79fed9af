import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { createTestClient, http } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type OpenDatabase } from '../../server/database.ts';
import { until } from '../harness/until.ts';
import {
  chainId,
  offered,
  pay,
  signPayment,
  startPayingChain,
  startRpcProxy,
  type PayingChain,
  type RpcProxy,
} from './payingSupport.ts';
import type { Reply } from './support.ts';

/* Payments and the processes that settle them: two at once with one key, and one that is killed in the middle. */

const script = fileURLToPath(new URL('payingProgram.ts', import.meta.url));
const body = { units: 1, what: 'it' };

let chain: PayingChain;
let proxy: RpcProxy;
let folder: string;
let database: OpenDatabase;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  chain = await startPayingChain();
  proxy = await startRpcProxy(chain.anvil.url);
  folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  database = await openDatabase({ dataDir: folder, logger: pino({ level: 'silent' }) });
});
afterEach(async () => {
  for (const child of running) await kill(child);
  for (const method of ['eth_sendRawTransaction', 'eth_getTransactionReceipt']) proxy.set(method, null);
});
afterAll(async () => {
  await database?.close();
  proxy?.close();
  chain?.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Node {
  url: string;
  child: ChildProcess;
  /** The next line it prints. */
  line: () => Promise<string>;
}

/** A server of its own on the common database. */
async function startNode(env: Record<string, string> = {}): Promise<Node> {
  const settings = {
    ...chain.settings,
    CHAINS_TESTNET: `${chainId}=${proxy.url}`,
    DATABASE_URL: `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(`${folder}/postgres`)}`,
    SECRET_KEY: 'one secret for all the nodes of this test',
    REQUEST_LEASE_SECONDS: '2',
  };
  const child = spawn(process.execPath, ['--import', 'tsx', script, folder, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  running.add(child);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const line = async () => String((await lines.next()).value);
  return { url: await line(), child, line };
}

async function kill(child: ChildProcess): Promise<void> {
  running.delete(child);
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

const newPayment = async (url: string) =>
  signPayment(await chain.newPayer(), { accepted: await offered(url, body) });

/** Repeats a request whose process was killed, until that one's lease is over. */
const repeated = (url: string, payment: string): Promise<Reply> =>
  until(async () => {
    const reply = await pay(url, body, payment);
    return reply.body.error === 'idempotency_in_progress' ? null : reply;
  }, 'the lease of the killed request to end');

const received = async () => Number(await chain.balanceOf(chain.payTo));

async function rowOf(index = 0): Promise<Record<string, unknown>> {
  const { rows } = await database.pool.query(
    'SELECT status, tx, failure FROM x402_payments ORDER BY seq DESC LIMIT 1 OFFSET $1',
    [index],
  );
  return rows[0] as Record<string, unknown>;
}

describe('two nodes on one database, with one key', () => {
  it('settle at once, and no transaction is lost, or has another’s number', async () => {
    const nodes = await Promise.all([startNode(), startNode()]);
    const [{ url }] = nodes;
    const payments = await Promise.all(Array.from({ length: 20 }, () => newPayment(url)));
    const before = [await chain.sent(), await received()];
    const replies = await Promise.all(
      payments.map((payment, index) => pay(nodes[index % 2]?.url ?? '', body, payment)),
    );
    expect(replies.map(({ status, body: { error } }) => error ?? status)).toEqual(payments.map(() => 201));
    expect([await chain.sent(), await received()]).toEqual([
      (before[0] ?? 0) + 20,
      (before[1] ?? 0) + 2_000_000,
    ]);
    const { rows } = await database.pool.query(`SELECT count(DISTINCT tx)::int AS sent FROM x402_payments`);
    expect(rows).toEqual([{ sent: 20 }]);
  });

  it('carry out one payment once, and both know the answer', async () => {
    const nodes = await Promise.all([startNode(), startNode()]);
    const payment = await newPayment(nodes[0].url);
    const before = [await chain.sent(), await received()];
    const replies = await Promise.all(nodes.map(({ url }) => pay(url, body, payment)));
    expect(replies.map(({ status }) => status)).toContain(201);
    const again = await Promise.all(nodes.map(({ url }) => pay(url, body, payment)));
    expect(again.map(({ status, text }) => [status, text])).toEqual([
      [201, again[0]?.text],
      [201, again[0]?.text],
    ]);
    expect([await chain.sent(), await received()]).toEqual([
      (before[0] ?? 0) + 1,
      (before[1] ?? 0) + 100_000,
    ]);
  });
});

describe('kill -9', () => {
  /** Runs a request into a killed server, and repeats it at the next. @returns what the repetition sent and brought in */
  async function killedWhen(
    reached: (node: Node) => Promise<unknown>,
    env: Record<string, string> = {},
  ): Promise<{ reply: Reply; row: Record<string, unknown>; sent: number; total: number }> {
    const node = await startNode(env);
    const payment = await newPayment(node.url);
    const receivedBefore = await received();
    const reach = reached(node);
    const lost = pay(node.url, body, payment).catch(() => 'lost');
    await reach;
    await kill(node.child);
    expect(await lost).toBe('lost');
    const row = await rowOf();
    proxy.set('eth_sendRawTransaction', null);
    proxy.set('eth_getTransactionReceipt', null);
    const sentBefore = await chain.sent();
    const next = await startNode();
    const reply = await repeated(next.url, payment);
    return {
      reply,
      row,
      sent: (await chain.sent()) - sentBefore,
      total: (await received()) - receivedBefore,
    };
  }

  it('while the work is done: it is done at the next, already paid', async () => {
    const { reply, row, sent, total } = await killedWhen((node) => node.line(), { HANG: 'true' });
    expect([row.status, reply.status, sent, total]).toEqual(['settled', 201, 0, 100_000]);
  });

  it('after the transaction was sent: it is found on the chain, and not sent again', async () => {
    proxy.set('eth_sendRawTransaction', 'mute');
    const { reply, row, sent, total } = await killedWhen(() => proxy.seen('eth_sendRawTransaction'));
    expect(row).toMatchObject({
      status: 'settling',
      tx: expect.stringMatching(/^0x[0-9a-f]{64}$/) as string,
    });
    expect([reply.status, sent, total]).toEqual([201, 0, 100_000]);
    // The chain was asked first: nobody even thought of sending.
    expect(proxy.calls).toContain('eth_getTransactionReceipt');
    expect(proxy.calls).not.toContain('eth_getTransactionCount');
  });

  it('before the transaction reached the chain: it is sent once', async () => {
    proxy.set('eth_sendRawTransaction', 'drop');
    const { reply, row, sent, total } = await killedWhen(() => proxy.seen('eth_sendRawTransaction'));
    expect(row.status).toBe('settling');
    expect([reply.status, sent, total]).toEqual([201, 1, 100_000]);
  });

  it('while the transaction waits for its block: the block is waited for, and nothing is sent again', async () => {
    const miner = createTestClient({ mode: 'anvil', transport: http(chain.anvil.url) });
    const node = await startNode();
    const payment = await newPayment(node.url);
    const before = [await chain.sent(), await received()];
    await miner.setAutomine(false);
    try {
      const lost = pay(node.url, body, payment).catch(() => 'lost');
      await until(async () => (await miner.getTxpoolStatus()).pending === 1, 'the transaction to wait');
      await kill(node.child);
      expect(await lost).toBe('lost');
      const next = await startNode();
      const reply = repeated(next.url, payment);
      // Its process is gone and its lease over: the next one has taken it up, and asks for the transaction.
      await proxy.seen('eth_getTransactionByHash');
      expect((await miner.getTxpoolStatus()).pending).toBe(1);
      await miner.mine({ blocks: 1 });
      expect((await reply).status).toBe(201);
    } finally {
      await miner.setAutomine(true);
    }
    expect([await chain.sent(), await received()]).toEqual([
      (before[0] ?? 0) + 1,
      (before[1] ?? 0) + 100_000,
    ]);
  });

  it('and nobody repeats the request: the books are put right by themselves', async () => {
    proxy.set('eth_sendRawTransaction', 'mute');
    const node = await startNode();
    const payment = await newPayment(node.url);
    const sending = proxy.seen('eth_sendRawTransaction');
    const lost = pay(node.url, body, payment).catch(() => 'lost');
    await sending;
    await kill(node.child);
    expect([await lost, (await rowOf()).status]).toEqual(['lost', 'settling']);
    proxy.set('eth_sendRawTransaction', null);
    const next = await startNode();
    await until(async () => (await rowOf()).status === 'settled', 'the payment to be looked after');
    expect((await pay(next.url, body, payment)).status).toBe(201);
  });
});
