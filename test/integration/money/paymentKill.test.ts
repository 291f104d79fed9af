import { createTestClient, http } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../harness/until.ts';
import { body, PayingNodes, type Node } from './payingNodes.ts';
import { pay } from './payingSupport.ts';
import type { Reply } from '../support.ts';

/* A server that is killed in the middle of a payment: nothing is paid twice, nothing done for nothing, no money lost. */

let nodes: PayingNodes;

beforeAll(async () => {
  nodes = await PayingNodes.create();
});
afterEach(async () => {
  await nodes.killAll();
  nodes.proxy.set('eth_sendRawTransaction', null);
});
afterAll(() => nodes?.close());

/** Repeats a request whose process was killed, until that one is known to be dead. */
const repeated = (url: string, payment: string): Promise<Reply> =>
  until(async () => {
    const reply = await pay(url, body, payment);
    return reply.body.error === 'idempotency_in_progress' ? null : reply;
  }, 'the killed request to be known as dead');

describe('kill -9', () => {
  /** Runs a request into a killed server, and repeats it at the next. @returns what the repetition sent and brought in */
  async function killedWhen(
    reached: (node: Node) => Promise<unknown>,
    env: Record<string, string> = {},
  ): Promise<{ reply: Reply; row: Record<string, unknown>; sent: number; total: number }> {
    const node = await nodes.startNext(env);
    const payment = await nodes.newPayment(node.url);
    const receivedBefore = await nodes.received();
    const reach = reached(node);
    const lost = pay(node.url, body, payment).catch(() => 'lost');
    await reach;
    await nodes.kill(node.child);
    expect(await lost).toBe('lost');
    const row = await nodes.lastRow();
    nodes.proxy.set('eth_sendRawTransaction', null);
    const sentBefore = await nodes.chain.sent();
    const next = await nodes.startNext();
    nodes.proxy.calls.length = 0;
    const reply = await repeated(next.url, payment);
    return {
      reply,
      row,
      sent: (await nodes.chain.sent()) - sentBefore,
      total: (await nodes.received()) - receivedBefore,
    };
  }

  it('while the work is done: it is done at the next, already paid', async () => {
    const { reply, row, sent, total } = await killedWhen((node) => node.line(), { HANG: 'true' });
    expect([row.status, reply.status, sent, total]).toEqual(['settled', 201, 0, 100_000]);
  });

  it('after the transaction was sent: it is found on the chain, and not sent again', async () => {
    nodes.proxy.set('eth_sendRawTransaction', 'mute');
    const { reply, row, sent, total } = await killedWhen(() => nodes.proxy.seen('eth_sendRawTransaction'));
    expect(row).toMatchObject({
      status: 'settling',
      tx: expect.stringMatching(/^0x[0-9a-f]{64}$/) as string,
    });
    expect([reply.status, sent, total]).toEqual([201, 0, 100_000]);
    // The chain was asked first: nobody even thought of sending.
    expect(nodes.proxy.calls).toContain('eth_getTransactionReceipt');
    expect(nodes.proxy.calls).not.toContain('eth_getTransactionCount');
  });

  it('before the transaction reached the chain: it is sent once', async () => {
    nodes.proxy.set('eth_sendRawTransaction', 'drop');
    const { reply, row, sent, total } = await killedWhen(() => nodes.proxy.seen('eth_sendRawTransaction'));
    expect(row.status).toBe('settling');
    expect([reply.status, sent, total]).toEqual([201, 1, 100_000]);
  });

  it('while the transaction waits for its block: the block is waited for, and nothing is sent again', async () => {
    const miner = createTestClient({ mode: 'anvil', transport: http(nodes.chain.anvil.url) });
    const node = await nodes.startNext();
    const payment = await nodes.newPayment(node.url);
    const before = [await nodes.chain.sent(), await nodes.received()];
    await miner.setAutomine(false);
    try {
      const lost = pay(node.url, body, payment).catch(() => 'lost');
      await until(async () => (await miner.getTxpoolStatus()).pending === 1, 'the transaction to wait');
      await nodes.kill(node.child);
      expect(await lost).toBe('lost');
      const next = await nodes.startNext();
      const reply = repeated(next.url, payment);
      // Its process is gone and known to be dead: the next one has taken it up, and asks for the transaction.
      await nodes.proxy.seen('eth_getTransactionByHash');
      expect((await miner.getTxpoolStatus()).pending).toBe(1);
      await miner.mine({ blocks: 1 });
      expect((await reply).status).toBe(201);
    } finally {
      await miner.setAutomine(true);
    }
    expect([await nodes.chain.sent(), await nodes.received()]).toEqual([
      (before[0] ?? 0) + 1,
      (before[1] ?? 0) + 100_000,
    ]);
  });

  it('and nobody repeats the request: the books are put right by themselves', async () => {
    nodes.proxy.set('eth_sendRawTransaction', 'mute');
    const node = await nodes.startNext();
    const payment = await nodes.newPayment(node.url);
    const sending = nodes.proxy.seen('eth_sendRawTransaction');
    const lost = pay(node.url, body, payment).catch(() => 'lost');
    await sending;
    await nodes.kill(node.child);
    expect([await lost, (await nodes.lastRow()).status]).toEqual(['lost', 'settling']);
    nodes.proxy.set('eth_sendRawTransaction', null);
    const next = await nodes.startNext();
    await until(async () => (await nodes.lastRow()).status === 'settled', 'the payment to be looked after');
    expect((await pay(next.url, body, payment)).status).toBe(201);
  });
});
