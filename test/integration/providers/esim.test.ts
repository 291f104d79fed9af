import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyScopes, type Page } from '../../../sdk/protocol/http.ts';
import type { WireEsim, WireEsimOrder, WireEsimPackage } from '../../../sdk/protocol/esim.ts';
import { luhnDigit } from '../../../server/esim/activation.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { readQr } from '../../harness/readQr.ts';
import { api, newCustomer, newKey, queryDatabase, wrongBalances } from '../money/accountSupport.ts';
import { bearer, type Reply } from '../support.ts';

let server: ServerProcess;
let key: Record<string, string>;

beforeAll(async () => {
  server = await ServerProcess.start({ SIGNUP_CREDITS: '20000' });
  key = await newKeyOf();
});
afterAll(() => server?.dispose());

const newKeyOf = async () =>
  bearer((await newKey(server.url, await newCustomer(server.url), { scopes: keyScopes })).secret);
const checkOut = (body: object, headers = key): Promise<Reply> =>
  api(server.url, 'POST', '/esim/checkout', headers, body);
const read = (path: string, headers = key) => api(server.url, 'GET', `/esim/${path}`, headers);
const credits = async () => Number((await api(server.url, 'GET', '/account/credits', key)).body.credits);
const esimsOf = ({ body }: Reply) => body.esims as WireEsim[];

describe('the catalogue', () => {
  it('lists packages page by page and by country', async () => {
    const all = (await read('packages')).body.data as WireEsimPackage[];
    expect(all.length).toBeGreaterThan(3);
    expect(all.find(({ id }) => id === 'eu-1gb')).toMatchObject({
      dataMegabytes: 1024,
      validDays: 7,
      credits: 450,
    });
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null;) {
      const { body } = await read(`packages?limit=2${next}`);
      const page = body as unknown as Page<WireEsimPackage>;
      seen.push(...page.data.map(({ id }) => id));
      next = page.nextCursor && `&cursor=${page.nextCursor}`;
    }
    expect(seen).toEqual(all.map(({ id }) => id));
    const german = (await read('packages?country=DE')).body.data as WireEsimPackage[];
    expect(german.map(({ id }) => id)).toEqual(['eu-1gb', 'eu-5gb']);
  });
});

describe('a checkout', () => {
  it('quotes the price in a dry run without a charge', async () => {
    const before = await credits();
    const reply = await checkOut({ packageId: 'eu-5gb', quantity: 3, dryRun: true });
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        orderId: null,
        status: 'dry_run',
        packageId: 'eu-5gb',
        quantity: 3,
        esims: [],
        quotedCredits: 4200,
        credits: 0,
        balance: before,
        createdAt: expect.any(String) as string,
      },
    ]);
    expect(await credits()).toBe(before);
    expect(await queryDatabase(server, 'SELECT * FROM esim_orders')).toEqual([]);
  });

  it('sells valid eSIMs with QR codes of the same activation code', async () => {
    const before = await credits();
    const reply = await checkOut({ packageId: 'eu-1gb', quantity: 2, email: 'ada@example.org' });
    expect([reply.status, reply.body]).toMatchObject([
      201,
      { status: 'completed', packageId: 'eu-1gb', quantity: 2, credits: 900, balance: before - 900 },
    ]);
    const esims = esimsOf(reply);
    expect(esims).toHaveLength(2);
    expect(new Set(esims.map(({ iccid }) => iccid)).size).toBe(2);
    for (const esim of esims) {
      expect(esim.iccid).toMatch(/^89\d{17}$/);
      expect(luhnDigit(esim.iccid.slice(0, -1))).toBe(esim.iccid.at(-1));
      expect(esim.activationCode).toBe(`LPA:1$${esim.smdpAddress}$${esim.matchingId}`);
      expect(esim.matchingId).toMatch(/^[0-9A-Z-]{1,255}$/);
      expect(new URL(esim.appleInstallUrl ?? '').searchParams.get('carddata')).toBe(esim.activationCode);
      // Without credentials: the signed URL is enough.
      const image = await fetch(esim.qrCodeUrl ?? '');
      expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
      const { width, height, data } = PNG.sync.read(Buffer.from(await image.arrayBuffer()));
      expect(readQr(new Uint8ClampedArray(data), width, height)?.data).toBe(esim.activationCode);
      expect(server.log).not.toContain(esim.matchingId);
      expect(server.log).not.toContain(new URL(esim.qrCodeUrl ?? '').searchParams.get('signature') ?? '?');
    }
    const order = await read(`orders/${String(reply.body.orderId)}`);
    expect(order.body).toMatchObject({ status: 'completed', quantity: 2, credits: 900, error: null });
    expect(esimsOf(order).map(({ activationCode }) => activationCode)).toEqual(
      esims.map(({ activationCode }) => activationCode),
    );
    const stored = await queryDatabase(server, 'SELECT t::text AS line FROM esim_profiles t');
    expect(JSON.stringify(stored)).not.toContain(esims[0]?.iccid);
    expect(await wrongBalances(server)).toEqual([]);
  });

  it('returns the same order for the same Idempotency-Key', async () => {
    const headers = { ...key, 'Idempotency-Key': 'one' };
    const first = await checkOut({ packageId: 'us-1gb' }, headers);
    const again = await checkOut({ packageId: 'us-1gb' }, headers);
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([
      201,
      first.body,
      'true',
    ]);
  });

  it.each([
    [{ packageId: 'nothing' }, 404, 'not_found', { resource: 'package' }],
    [{ packageId: 'aq-1gb' }, 409, 'out_of_stock', {}],
    [{ packageId: 'aq-1gb', dryRun: true }, 409, 'out_of_stock', {}],
    [{ packageId: 'us-unlimited', quantity: 50 }, 402, 'insufficient_credits', { creditsRequired: 145_000 }],
  ])('rejects %j without a charge', async (body, status, error, more) => {
    const before = await credits();
    const reply = await checkOut(body);
    expect([reply.status, reply.body]).toMatchObject([status, { error, ...more }]);
    expect(await credits()).toBe(before);
  });

  it('hides orders from other accounts', async () => {
    const { body } = await checkOut({ packageId: 'us-1gb' });
    const id = String(body.orderId);
    const other = await newKeyOf();
    for (const path of [`orders/${id}`, 'orders/ord_000000000000000000000000', 'orders/x']) {
      const reply = await read(path, other);
      expect([reply.status, reply.body.resource]).toEqual([404, 'order']);
    }
    expect((await read(`orders/${id}`)).status).toBe(200);
  });

  it('lists the orders of the buyer, newest first and page by page', async () => {
    const buyer = await newKeyOf();
    const bought: unknown[] = [];
    for (const packageId of ['us-1gb', 'jp-3gb', 'eu-1gb'])
      bought.unshift((await checkOut({ packageId }, buyer)).body.orderId);
    const { body } = await read('orders?limit=2', buyer);
    expect((body.data as WireEsimOrder[]).map(({ orderId }) => orderId)).toEqual(bought.slice(0, 2));
    const rest = (await read(`orders?cursor=${String(body.nextCursor)}`, buyer)).body;
    expect(rest).toMatchObject({ hasMore: false, nextCursor: null });
    const [last] = rest.data as WireEsimOrder[];
    const single = (await read(`orders/${String(bought[2])}`, buyer)).body as unknown as WireEsimOrder;
    // Each read returns another signed URL of the image.
    const withoutImageUrls = (order: WireEsimOrder | undefined) => ({
      ...order,
      esims: order?.esims.map((esim) => ({ ...esim, qrCodeUrl: esim.qrCodeUrl !== null })),
    });
    expect(withoutImageUrls(last)).toEqual(withoutImageUrls(single));
    expect((await read('orders', await newKeyOf())).body.data).toEqual([]);
  });

  it('serves QR codes only at their signed URL, for a day', async () => {
    const url = new URL(esimsOf(await checkOut({ packageId: 'us-1gb' }))[0]?.qrCodeUrl ?? '');
    const other = new URL(esimsOf(await checkOut({ packageId: 'us-1gb' }))[0]?.qrCodeUrl ?? '');
    const expires = Number(url.searchParams.get('expires'));
    expect(expires - Date.now()).toBeLessThanOrEqual(24 * 60 * 60_000);
    const forged = [
      { expires: String(expires + 1) },
      { signature: other.searchParams.get('signature') ?? '' },
      { signature: '' },
      { expires: '' },
      { path: other.pathname },
      { path: url.pathname.replace('.png', '') },
    ];
    for (const { path = url.pathname, ...query } of forged) {
      const address = new URL(url);
      address.pathname = path;
      for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
      expect((await fetch(address)).status).toBe(404);
    }
    expect((await fetch(url)).status).toBe(200);
  });
});
