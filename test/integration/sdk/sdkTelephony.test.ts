import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import { Parley } from '../../../sdk/src/Parley.ts';
import { blocksOf } from '../../docs/blocks.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { Smsc, smscUser } from '../../harness/services/Smsc.ts';
import { until } from '../../harness/until.ts';
import { api, newCustomer, newKey, queryDatabase, wrongBalances } from '../money/accountSupport.ts';
import { bearer } from '../support.ts';

/*
 * Telephony through the SDK, and the example of the backend developers' guide over SMPP. (docs.test.ts runs that example on the loopback
 * carrier.)
 */

const numbers = ['+12025550151', '+12025550152', '+12025550153'];
const top = fileURLToPath(new URL('../../..', import.meta.url));

async function newSecret(url: string): Promise<string> {
  return (await newKey(url, await newCustomer(url), { scopes: keyScopes })).secret;
}

/** Runs the example in a separate process, as a reader would. */
async function runExample(url: string, secret: string): Promise<string> {
  const { source } =
    blocksOf('docs/guides/backend-developer.md').find((block) => block.source.includes('setWebhook')) ?? {};
  const lines = source?.trim().split('\n') ?? [];
  expect(lines.length).toBeLessThanOrEqual(2 + 10);
  const script = lines.join('\n').replace("'@parley/sdk'", "'./sdk/src/index.ts'");
  const run = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const env = { PATH: process.env.PATH, PARLEY_URL: url, PARLEY_KEY: secret };
  const { stdout } = await promisify(execFile)(process.execPath, run, { env, cwd: top, timeout: 90_000 });
  return stdout;
}

it('runs the example of the guide over SMPP: buys two numbers and sends a text between them', async () => {
  const smsc = await Smsc.start({ users: [smscUser(numbers)] });
  const server = await ServerProcess.start({
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    CARRIER: 'smpp',
    SMPP_URL: smsc.url(),
    SMPP_NUMBERS: numbers.join(','),
    SMS_POOL_NUMBERS: numbers[2] ?? '',
  });
  try {
    const secret = await newSecret(server.url);
    const before = (await api(server.url, 'GET', '/account', bearer(secret))).body.credits as number;
    const spent = 200 + 200 + 2;
    expect(await runExample(server.url, secret)).toBe(
      `message.received Hello! Hello! Hello! ${spent} ${before - spent}\n`,
    );
    const { body } = await api(server.url, 'GET', '/account/credits', bearer(secret));
    expect(body).toMatchObject({ credits: before - spent, reserved: 0 });
    expect(await wrongBalances(server)).toEqual([]);
  } finally {
    await server.dispose();
    await smsc.stop();
  }
}, 120_000);

describe('the SDK', () => {
  let server: ServerProcess;
  let client: Parley;

  beforeAll(async () => {
    server = await ServerProcess.start({ SIGNUP_CREDITS: '5000' });
    client = new Parley({ baseUrl: server.url, auth: { apiKey: await newSecret(server.url) } });
  });
  afterAll(async () => {
    client?.close();
    await server?.dispose();
  });

  it('buys, lists, renews and releases numbers', async () => {
    const { data: offers } = await client.numbers.available({ country: 'GB', limit: 3 });
    const wanted = offers[0]?.phoneNumber ?? '';
    const order = await client.numbers.buyIntl({ country: 'GB', phoneNumber: wanted });
    expect(order).toMatchObject({
      status: 'completed',
      phoneNumber: wanted,
      createdAt: expect.any(Date) as Date,
    });
    const us = await client.numbers.buyUs({ areaCode: '202' });
    expect((await client.numbers.status(us.orderId)).number?.phoneNumber).toBe(us.phoneNumber);
    const { data: mine } = await client.numbers.mine({ status: 'active' });
    expect(mine.map(({ phoneNumber }) => phoneNumber)).toEqual([us.phoneNumber, wanted]);
    const { id, expiresAt } = mine[1] ?? { id: '', expiresAt: new Date() };
    expect((await client.numbers.setAutoRenew(id, true)).autoRenew).toBe(true);
    const renewed = await client.numbers.renew({ numberId: id, months: 2 });
    expect(renewed.number.expiresAt.getTime()).toBeGreaterThan(expiresAt.getTime());
    expect((await client.numbers.release(id)).status).toBe('released');
    await expect(client.numbers.buyIntl({ country: 'US' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ path: 'country', code: 'use_us_route' }],
    });
  });

  it('buys once for repeated requests with the same idempotency key', async () => {
    const before = await client.account.credits();
    const idempotencyKey = 'the same order';
    const [first, second] = [
      await client.numbers.buy({ country: 'US' }, { idempotencyKey }),
      await client.numbers.buy({ country: 'US' }, { idempotencyKey }),
    ];
    expect(second).toEqual(first);
    expect((await client.account.credits()).credits).toBe(before.credits - first.credits);
  });

  it('sends texts from the pool and between numbers, and reads threads', async () => {
    const [one, two] = [await client.numbers.buyUs(), await client.numbers.buyUs()];
    const pooled = await client.sms.send({ to: one.phoneNumber ?? '', message: 'from the pool' });
    await until(async () => (await client.sms.get(pooled.id)).status === 'delivered', 'it is delivered');
    const sent = await client.messaging.send({
      from: one.phoneNumber ?? '',
      to: two.phoneNumber ?? '',
      message: 'from a number',
    });
    await until(async () => (await client.sms.get(sent.id)).status === 'delivered', 'it is delivered');
    const inbox = async () => (await client.sms.inbox({ since: sent.createdAt })).data;
    await until(async () => (await inbox()).length > 0, 'the inbox has it');
    expect(await inbox()).toMatchObject([{ message: 'from a number', to: two.phoneNumber }]);
    const number = two.phoneNumber ?? '';
    expect((await client.messaging.threads({ number })).data).toMatchObject([
      { counterparty: one.phoneNumber, number, unreadCount: 1, updatedAt: expect.any(Date) as Date },
    ]);
    const { thread, data } = await client.messaging.thread(one.phoneNumber ?? '', { number });
    expect([thread.messageCount, data.map(({ message }) => message)]).toEqual([1, ['from a number']]);
    expect((await client.messaging.threads({ number })).data[0]?.unreadCount).toBe(0);
    expect((await client.numbers.messages({ number, direction: 'inbound' })).data).toHaveLength(1);
  });

  it('sets, reads and removes a webhook', async () => {
    const { phoneNumber } = await client.numbers.buyUs();
    const which = { phoneNumber: phoneNumber ?? '' };
    const url = 'https://hooks.example.org/parley';
    const made = await client.numbers.setWebhook({ ...which, url, events: ['message.received'] });
    expect(made).toMatchObject({ url, secret: expect.stringMatching(/^whsec_/) as string });
    // If its answer was lost, the repeated request would get the secret, too.
    const keys = `SELECT FROM idempotency_keys WHERE method = 'PUT' AND path = '/api/v1/numbers/mine/webhook'`;
    expect(await queryDatabase(server, keys)).toHaveLength(1);
    expect(await client.numbers.webhook(which)).toMatchObject({ url, disabledAt: null });
    const test = await client.numbers.testWebhook(which);
    expect(test).toMatchObject({ type: 'webhook.test', createdAt: expect.any(Date) as Date });
    expect((await client.numbers.webhookDeliveries(which)).data).toMatchObject([{ id: test.id }]);
    expect((await client.numbers.setWebhook({ ...which, url: null })).url).toBeNull();
    await expect(client.numbers.setWebhook({ ...which, url: 'http://127.0.0.1/' })).rejects.toMatchObject({
      reason: 'url_not_allowed',
    });
  });

  it('uses look-up, leak search, eSIMs, verifications and XMPP', async () => {
    expect(await client.lookup.lookup({ phoneNumber: '+442079460018' })).toMatchObject({
      valid: true,
      countryCode: 'GB',
      credits: 1,
    });
    const question = { query: 'nobody@example.org', type: 'email' } as const;
    expect(await client.leaksearch.search(question)).toMatchObject({
      found: false,
      searchedAt: expect.any(Date) as Date,
    });
    expect((await client.leaksearch.searchWithCredits(question)).credits).toBe(10);
    const { data: packages } = await client.esim.packages({ country: 'FR' });
    const packageId = packages[0]?.id ?? '';
    expect(await client.esim.checkout({ packageId, dryRun: true })).toMatchObject({
      status: 'dry_run',
      credits: 0,
    });
    const bought = await client.esim.checkout({ packageId });
    expect((await client.esim.order(bought.orderId ?? '')).esims).toMatchObject([
      { activationCode: expect.stringMatching(/^LPA:1\$/) as string },
    ]);
    const started = await client.verifications.start({ to: '+12025550199' });
    expect(started).toMatchObject({ status: 'pending', expiresAt: expect.any(Date) as Date });
    const guess = { id: started.id, code: '0000' };
    expect(await client.verifications.check(guess)).toMatchObject({ valid: false, attemptsRemaining: 4 });
    await expect(client.xmpp.provision()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
