import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { body, PaymentNodes } from './PaymentNodes.ts';
import { pay } from './paymentSupport.ts';

/* Two servers that settle payments at the same time with one key. */

let nodes: PaymentNodes;

beforeAll(async () => {
  nodes = await PaymentNodes.create();
});
afterEach(() => nodes.killAll());
afterAll(() => nodes?.close());

describe('two nodes on one database, with one key', () => {
  it('settle concurrently without losing transactions or reusing transaction numbers', async () => {
    const pair = await Promise.all([nodes.start(), nodes.start()]);
    const [{ url }] = pair;
    const payments = await Promise.all(Array.from({ length: 20 }, () => nodes.newPayment(url)));
    const before = [await nodes.chain.sent(), await nodes.received()];
    const replies = await Promise.all(
      payments.map((payment, index) => pay(pair[index % 2]?.url ?? '', body, payment)),
    );
    expect(replies.map(({ status, body: { error } }) => error ?? status)).toEqual(payments.map(() => 201));
    expect([await nodes.chain.sent(), await nodes.received()]).toEqual([
      (before[0] ?? 0) + 20,
      (before[1] ?? 0) + 2_000_000,
    ]);
    const { rows } = await nodes.database.pool.query(
      `SELECT count(DISTINCT tx)::int AS sent FROM x402_payments`,
    );
    expect(rows).toEqual([{ sent: 20 }]);
  });

  it('serve one payment once, and both return its answer', async () => {
    const pair = await Promise.all([nodes.start(), nodes.start()]);
    const payment = await nodes.newPayment(pair[0].url);
    const before = [await nodes.chain.sent(), await nodes.received()];
    const replies = await Promise.all(pair.map(({ url }) => pay(url, body, payment)));
    expect(replies.map(({ status }) => status)).toContain(201);
    const again = await Promise.all(pair.map(({ url }) => pay(url, body, payment)));
    expect(again.map(({ status, text }) => [status, text])).toEqual([
      [201, again[0]?.text],
      [201, again[0]?.text],
    ]);
    expect([await nodes.chain.sent(), await nodes.received()]).toEqual([
      (before[0] ?? 0) + 1,
      (before[1] ?? 0) + 100_000,
    ]);
  });
});
