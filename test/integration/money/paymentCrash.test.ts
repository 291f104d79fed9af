import { createTestClient, http } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../harness/until.ts';
import { body, PaymentNodes, type PaymentNode } from './PaymentNodes.ts';
import { holdWrites } from './holdWrites.ts';
import { offered, pay, post, signPayment } from './paymentSupport.ts';
import type { Reply } from '../support.ts';

/* A server that is killed during a payment: nothing is paid twice, no work is done without payment, and no payment is lost. */

let nodes: PaymentNodes;

beforeAll(async () => {
  nodes = await PaymentNodes.create();
});
afterEach(async () => {
  await nodes.killAll();
  nodes.proxy.set('eth_sendRawTransaction', null);
});
afterAll(() => nodes?.close());

/** Repeats a request whose process was killed, until that process is known to be dead. */
const repeat = (url: string, payment: string, headers: Record<string, string> = {}): Promise<Reply> =>
  until(async () => {
    const reply = await pay(url, body, payment, headers);
    return reply.body.error === 'idempotency_in_progress' ? null : reply;
  }, 'the killed request is known to be dead');

describe('kill -9', () => {
  /**
   * Kills a server during a request, and repeats the request on the next server.
   * @param options.key an Idempotency-Key, with which the repeated request has a new payment, as x402's client sends it
   * @returns the payment's row at the kill, the answer to the repeated request, the transactions sent after the kill, and the total
   * amount received
   */
  async function killedWhen(
    killPoint: (node: PaymentNode) => Promise<unknown>,
    { key, ...env }: { key?: string; HANG?: string } = {},
  ): Promise<{ reply: Reply; row: Record<string, unknown>; sent: number; total: number }> {
    const node = await nodes.startNext(env);
    const payer = await nodes.chain.newPayer();
    const payment = await nodes.newPayment(node.url, payer);
    const headers: Record<string, string> = key === undefined ? {} : { 'Idempotency-Key': key };
    const receivedBefore = await nodes.received();
    const reached = killPoint(node);
    const lost = pay(node.url, body, payment, headers).catch(() => 'lost');
    await reached;
    await nodes.kill(node.child);
    expect(await lost).toBe('lost');
    const row = await nodes.lastRow();
    nodes.proxy.set('eth_sendRawTransaction', null);
    const sentBefore = await nodes.chain.sent();
    const next = await nodes.startNext();
    nodes.proxy.calls.length = 0;
    const repeated = key === undefined ? payment : await nodes.newPayment(next.url, payer);
    const reply = await repeat(next.url, repeated, headers);
    return {
      reply,
      row,
      sent: (await nodes.chain.sent()) - sentBefore,
      total: (await nodes.received()) - receivedBefore,
    };
  }

  it.each([{}, { key: 'a key' }])(
    'during the work: the next server does the work without a second payment (%o)',
    async (options) => {
      const { reply, row, sent, total } = await killedWhen((node) => node.line(), {
        ...options,
        HANG: 'true',
      });
      expect([row.status, reply.status, sent, total]).toEqual(['settled', 201, 0, 100_000]);
    },
  );

  it.each([{}, { key: 'another key' }])(
    'after the transaction was sent: finds it on the chain, and does not send it again (%o)',
    async (options) => {
      nodes.proxy.set('eth_sendRawTransaction', 'mute');
      const { reply, row, sent, total } = await killedWhen(
        () => nodes.proxy.seen('eth_sendRawTransaction'),
        options,
      );
      expect(row).toMatchObject({
        status: 'settling',
        tx: expect.stringMatching(/^0x[0-9a-f]{64}$/) as string,
      });
      expect([reply.status, sent, total]).toEqual([201, 0, 100_000]);
      // The server looked for the transaction, and prepared no other one.
      expect(nodes.proxy.calls).toContain('eth_getTransactionReceipt');
      expect(nodes.proxy.calls).not.toContain('eth_getTransactionCount');
    },
  );

  it('before the transaction reached the chain: sends it once', async () => {
    nodes.proxy.set('eth_sendRawTransaction', 'drop');
    const { reply, row, sent, total } = await killedWhen(() => nodes.proxy.seen('eth_sendRawTransaction'));
    expect(row.status).toBe('settling');
    expect([reply.status, sent, total]).toEqual([201, 1, 100_000]);
  });

  it('while the transaction waits for its block: waits for the block, and sends nothing again', async () => {
    const miner = createTestClient({ mode: 'anvil', transport: http(nodes.chain.anvil.url) });
    const node = await nodes.startNext();
    const payment = await nodes.newPayment(node.url);
    const before = [await nodes.chain.sent(), await nodes.received()];
    await miner.setAutomine(false);
    try {
      const lost = pay(node.url, body, payment).catch(() => 'lost');
      await until(async () => (await miner.getTxpoolStatus()).pending === 1, 'the transaction is pending');
      await nodes.kill(node.child);
      expect(await lost).toBe('lost');
      const next = await nodes.startNext();
      const reply = repeat(next.url, payment);
      // The next server has taken over the payment, and looks for its transaction.
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

  it('without a repetition of the request: settles the payment by itself', async () => {
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
    await until(async () => (await nodes.lastRow()).status === 'settled', 'the payment is settled');
    expect((await pay(next.url, body, payment)).status).toBe(201);
  });

  it.each([false, true])(
    'in the transaction of a text: the next server sends it once, without a second payment (at the commit: %s)',
    async (atCommit) => {
      const text = { to: '+12025550123', message: 'paid' };
      const texts = async () => (await nodes.database.pool.query('SELECT id FROM messages')).rows.length;
      const node = await nodes.startNext();
      const accepted = await offered(node.url, text, '/sms/send');
      const payment = { 'PAYMENT-SIGNATURE': await signPayment(await nodes.chain.newPayer(), { accepted }) };
      const [received, sent] = [await nodes.received(), await texts()];
      const client = await nodes.database.pool.connect();
      try {
        const countHeld = await holdWrites(client, { write: 'UPDATE OF answer ON x402_payments', atCommit });
        const lost = post(node.url, '/sms/send', text, payment).catch(() => 'lost');
        await until(async () => (await countHeld()) === 1, 'the answer is about to be stored');
        // The text and the answer are committed together.
        expect([await texts(), (await nodes.lastRow()).status]).toEqual([sent, 'settled']);
        await nodes.kill(node.child);
        expect(await lost).toBe('lost');
      } finally {
        client.release(true);
      }
      const next = await nodes.startNext();
      const transactions = await nodes.chain.sent();
      const reply = await until(async () => {
        const found = await post(next.url, '/sms/send', text, payment);
        return found.body.error === 'idempotency_in_progress' ? null : found;
      }, 'the killed request is known to be dead');
      // The database completes a commit whose client has died.
      const replayed = atCommit ? 'true' : undefined;
      expect([reply.status, reply.headers['idempotent-replayed']]).toEqual([202, replayed]);
      const again = await post(next.url, '/sms/send', text, payment);
      expect([again.text, again.headers['idempotent-replayed']]).toEqual([reply.text, 'true']);
      expect([await texts(), await nodes.chain.sent()]).toEqual([sent + 1, transactions]);
      expect(await nodes.received()).toBe(received + Number(accepted.amount));
    },
  );
});
