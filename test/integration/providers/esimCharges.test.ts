import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../../sdk/protocol/ids.ts';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import { Catalogue } from '../../../server/esim/Catalogue.ts';
import { EsimOrders } from '../../../server/esim/EsimOrders.ts';
import { EsimRefused, outOfStock, type EsimPurchase } from '../../../server/esim/EsimProvider.ts';
import { EsimService } from '../../../server/esim/EsimService.ts';
import { LoopbackEsims } from '../../../server/esim/LoopbackEsims.ts';
import { QrCodes } from '../../../server/esim/QrCodes.ts';
import { until } from '../../harness/until.ts';
import { api, newCustomer, newKey, queryDatabase, wrongBalances } from '../money/accountSupport.ts';
import { endLeases } from '../money/endLeases.ts';
import { offered, post, signPayment, startPaymentChain, type PaymentChain } from '../money/paymentSupport.ts';
import { startSpendingServer, type Parts, type SpendingServer } from '../money/spendingServer.ts';
import { bearer, type Reply } from '../support.ts';
import { onlyKey } from '../../../platform/keys.ts';

/* One charge buys one order of eSIMs, even if its request is frozen or repeated, or the clocks of nodes differ. */

const key = Buffer.alloc(32, 7);
const keys = onlyKey(key);

class CountingEsims extends LoopbackEsims {
  readonly asked: EsimPurchase[] = [];
  refuses = false;
  #isFree = Promise.resolve();

  /** Delays all orders. @returns a function that releases them */
  hang(): () => void {
    let go = () => {};
    this.#isFree = new Promise((resolve) => (go = resolve));
    return () => go();
  }

  override async order(purchase: EsimPurchase) {
    if (this.refuses) throw new EsimRefused(outOfStock());
    this.asked.push(purchase);
    await this.#isFree;
    return super.order(purchase);
  }
}

/** A catalogue at which some look-ups wait, as in a process that is frozen. */
class HaltingCatalogue extends Catalogue {
  /** The number of look-ups that wait. */
  waiting = 0;
  #halted: Promise<void> | null = null;
  /** How many look-ups are served before the others wait. */
  #served = 0;

  haltAfter(served: number): () => void {
    let go = () => {};
    this.#halted = new Promise((resolve) => (go = resolve));
    this.#served = served;
    this.waiting = 0;
    return () => go();
  }

  override async find(id: string) {
    if (this.#halted && this.#served-- <= 0) {
      const halted = this.#halted;
      this.waiting++;
      await halted;
    }
    return super.find(id);
  }

  serveNext(): void {
    this.#halted = null;
  }
}

let dataDir: string;
let chain: PaymentChain;
let server: SpendingServer;
let provider: CountingEsims;
let catalogue: HaltingCatalogue;
let orders: EsimOrders;
let service: EsimService;
let headers: Record<string, string>;

function provide({ db, jobs, accounts: { ledger }, log }: Parts) {
  provider = new CountingEsims(key);
  catalogue = new HaltingCatalogue(provider, log);
  orders = new EsimOrders({ db, ledger, jobs, keys, settleMs: 60_000, log });
  const qrCodes = new QrCodes({ keys, publicUrl: 'http://localhost' });
  service = new EsimService({ provider, catalogue, orders, qrCodes, ledger, jobs, log });
  return { esim: service };
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  chain = await startPaymentChain();
  const settings = { SIGNUP_CREDITS: '2000', ...chain.settings };
  server = await startSpendingServer({ dataDir, settings, provide });
});
beforeEach(async () => {
  provider.asked.length = 0;
  headers = bearer((await newKey(server.url, await newCustomer(server.url), { scopes: keyScopes })).secret);
});
afterEach(() => {
  provider.refuses = false;
  vi.useRealTimers();
  vi.restoreAllMocks();
});
afterAll(async () => {
  await server?.close();
  chain?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const packageId = 'us-1gb';
const checkOut = (): Promise<Reply> =>
  api(server.url, 'POST', '/esim/checkout', { ...headers, 'Idempotency-Key': 'one' }, { packageId });
const creditsOf = async () => {
  const { body } = await api(server.url, 'GET', '/account/credits', headers);
  return [body.credits, body.reserved];
};

/** A request of an x402 payer, whose charge stays the same if the request is repeated. */
function newPaidRequest() {
  const charge = { id: newId('pay'), credits: 400, balance: null, reservationId: null };
  return () => service.checkOut({ packageId, quantity: 1, dryRun: false }, null, charge, null);
}

describe('one charge', () => {
  it('orders nothing for a request whose credits were returned while it was frozen', async () => {
    // The price and the check are served.
    const thaw = catalogue.haltAfter(2);
    const frozen = checkOut();
    await until(() => catalogue.waiting === 1, 'the request is frozen before it orders');
    await endLeases({ dataDir });
    catalogue.serveNext();
    const bought = await checkOut();
    expect(bought.status).toBe(201);
    thaw();
    expect((await frozen).status).toBe(503);
    expect(provider.asked).toHaveLength(1);
    expect(await creditsOf()).toEqual([1_600, 0]);
    expect((await checkOut()).text).toBe(bought.text);
    expect(await wrongBalances({ dataDir })).toEqual([]);
  });

  it('orders once if two processes serve its request at the same time', async () => {
    const request = newPaidRequest();
    const thaw = catalogue.haltAfter(0);
    const both = Promise.allSettled([request(), request()]);
    await until(() => catalogue.waiting === 2, 'both are about to order');
    thaw();
    expect((await both).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    catalogue.serveNext();
    expect(await request()).toMatchObject({ status: 'completed', esims: [{}] });
    expect(provider.asked).toHaveLength(1);
  });

  it('finds its order after an earlier one failed on a node whose clock was ahead', async () => {
    const request = newPaidRequest();
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() + 3_600_000);
    provider.refuses = true;
    await expect(request()).rejects.toMatchObject({ reason: 'out_of_stock' });
    provider.refuses = false;
    vi.useRealTimers();
    const { orderId } = await request();
    expect(await request()).toMatchObject({ orderId, status: 'completed' });
    expect(provider.asked).toHaveLength(1);
  });

  it('stays paid if the database fails after the sale', async () => {
    for (const name of ['find', 'profiles'] as const)
      vi.spyOn(orders, name).mockRejectedValueOnce(new Error('connection lost'));
    const first = await checkOut();
    vi.restoreAllMocks();
    expect(await creditsOf()).toEqual([1_600, 0]);
    const again = await checkOut();
    expect([first.status, again.text]).toEqual([201, first.text]);
    expect(provider.asked).toHaveLength(1);
  });
});

it('waits for the catalogue outside of transactions, which PostgreSQL would end', async () => {
  // The price is served.
  const go = catalogue.haltAfter(1);
  const reply = checkOut();
  await until(() => catalogue.waiting === 1, 'the check waits for the catalogue');
  const open = `SELECT FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'`;
  await until(async () => (await queryDatabase({ dataDir }, open)).length === 0, 'no transaction waits');
  go();
  catalogue.serveNext();
  expect([(await reply).status, (await reply).body.status]).toEqual([201, 'completed']);
});

it('answers a repeated request although its package is no longer sold', async () => {
  const first = await checkOut();
  vi.spyOn(catalogue, 'find').mockResolvedValue(null);
  expect((await checkOut()).text).toBe(first.text);
});

describe('a request paid by x402', () => {
  async function newPayment() {
    const accepted = await offered(server.url, { packageId }, '/esim/checkout');
    const payment = { 'PAYMENT-SIGNATURE': await signPayment(await chain.newPayer(), { accepted }) };
    return () => post(server.url, '/esim/checkout', { packageId }, payment);
  }

  it('gets its answer again although its package is no longer sold', async () => {
    const request = await newPayment();
    const first = await request();
    vi.spyOn(catalogue, 'find').mockResolvedValue(null);
    const again = await request();
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    const other = await (await newPayment())();
    expect([other.status, other.body.error]).toEqual([404, 'not_found']);
  });

  it('is served for what it has paid although the price has risen', async () => {
    const request = await newPayment();
    provider.refuses = true;
    expect((await request()).status).toBe(409);
    provider.refuses = false;
    const found = await catalogue.find(packageId);
    vi.spyOn(catalogue, 'find').mockResolvedValue(found && { ...found, credits: 500 });
    const { status, body } = await request();
    expect([status, body]).toMatchObject([201, { credits: 400, quotedCredits: 400 }]);
  });
});

it('gives an order the time to reach its provider, whatever the clock of the node that asks', async () => {
  const thaw = provider.hang();
  const reply = checkOut();
  await until(() => provider.asked.length === 1, 'the provider is asked');
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() + 3_600_000);
  const { pool } = server.database;
  await pool.query(`UPDATE due SET due_at = now() WHERE kind = 'reservation'`);
  const due = () => pool.query(`SELECT FROM due WHERE kind = 'reservation' AND due_at <= now()`);
  await until(async () => (await due()).rows.length === 0, 'another node has asked for the outcome');
  vi.useRealTimers();
  thaw();
  expect([(await reply).status, (await reply).body.status]).toEqual([201, 'completed']);
  expect(await creditsOf()).toEqual([1_600, 0]);
});
