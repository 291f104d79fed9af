import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verify } from '../../harness/services/WebhookReceiver.ts';
import { until } from '../../harness/until.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { grant, PhoneUser } from './telephonySupport.ts';
import { idsOf, WebhookBench } from './webhookSupport.ts';

/* Webhook deliveries to receivers that do not accept them. */

let bench: WebhookBench;

beforeAll(async () => {
  // The test can read the state before the first retry comes, and a busy machine can answer before the timeout.
  bench = await WebhookBench.start({ WEBHOOK_RETRY_SECONDS: '3,1', WEBHOOK_TIMEOUT_SECONDS: '4' });
});
afterEach(() => bench.closeReceivers());
afterAll(() => bench?.server.dispose());

describe('a receiver that fails', () => {
  it('gets retries at the planned time, with the same id and body and a new signature', async () => {
    const hook = await bench.hook();
    const { receiver, secret } = hook;
    receiver.answer(503, {}, 'not now');
    const id = await bench.test(hook);
    await receiver.wait(1);
    const waiting = await bench.reached(id, 'pending');
    expect(waiting).toMatchObject({
      attempts: 1,
      responseStatus: 503,
      responseBody: 'not now',
      settledAt: null,
    });
    const planned = new Date(waiting.nextAttemptAt ?? 0).getTime() - (receiver.received[0]?.at ?? 0);
    expect(planned).toBeGreaterThan(2_950);
    expect(planned).toBeLessThan(6_000);
    const [, second] = await receiver.wait(2);
    receiver.answer(200);
    const [first, , third] = await receiver.wait(3);
    if (!first || !second || !third) throw new Error('fewer than three deliveries arrived');
    expect(second.at - first.at).toBeGreaterThan(2_990);
    expect(third.at - second.at).toBeGreaterThan(990);
    for (const each of [first, second, third]) verify(secret, each);
    expect(idsOf(receiver.received)).toEqual(new Set([id]));
    expect(third.text).toBe(first.text);
    expect(Number(third.headers['webhook-timestamp'])).toBeGreaterThan(
      Number(first.headers['webhook-timestamp']),
    );
    expect(third.headers['webhook-signature']).not.toBe(first.headers['webhook-signature']);
    expect(await bench.reached(id, 'delivered')).toMatchObject({
      attempts: 3,
      responseStatus: 200,
      nextAttemptAt: null,
    });
  });

  it('gets no delivery after the last planned attempt, but is not disabled', async () => {
    const hook = await bench.hook();
    hook.receiver.answer(500);
    const id = await bench.test(hook);
    expect(await bench.reached(id, 'failed')).toMatchObject({
      attempts: 3,
      responseStatus: 500,
      nextAttemptAt: null,
    });
    expect(hook.receiver.received).toHaveLength(3);
    hook.receiver.answer(202);
    await bench.reached(await bench.test(hook), 'delivered');
    expect(await queryDatabase(bench.server, `SELECT * FROM due WHERE kind = 'webhook.delivery'`)).toEqual(
      [],
    );
  });

  it('is disabled by a 410 until it is set again', async () => {
    const hook = await bench.hook();
    const { receiver, number } = hook;
    const asked = (async () => ({ waiting: await bench.test(hook), gone: await bench.test(hook) }))();
    // The deliveries may arrive before their ids are known here.
    receiver.respond = (response, { headers }) =>
      void asked.then((ids) => response.writeHead(headers['webhook-id'] === ids.gone ? 410 : 500).end());
    const { waiting, gone } = await asked;
    expect(await bench.reached(gone, 'failed')).toMatchObject({ attempts: 1, responseStatus: 410 });
    expect(await bench.reached(waiting, 'failed')).toMatchObject({ error: 'webhook_disabled' });
    const state = await bench.user.get(`/numbers/mine/webhook?numberId=${number.id}`);
    expect(state.disabledAt).toMatch(/Z$/);
    const body = { numberId: number.id };
    expect(await bench.user.refusal('POST', '/numbers/mine/webhook/test', body)).toEqual([409, 'conflict']);
    const text = { from: number.phoneNumber, to: '+15005550006', message: 'anybody?' };
    const { id } = await bench.user.post<{ id: string }>('/numbers/mine/send', text);
    await bench.user.reached(id, 'failed');
    const before = receiver.received.length;
    receiver.answer(204);
    await bench.user.ask('PUT', '/numbers/mine/webhook', { ...body, url: receiver.url });
    await bench.reached(await bench.test(hook), 'delivered');
    expect(receiver.received).toHaveLength(before + 1);
  });

  it('cannot redirect deliveries', async () => {
    const [hook, redirectTarget] = [await bench.hook(), await bench.hook()];
    for (const status of [301, 307]) {
      hook.receiver.answer(status, { location: redirectTarget.receiver.url });
      const id = await bench.test(hook);
      await bench.attempted(id, 1);
      expect(await bench.delivery(id)).toMatchObject({ status: 'pending', responseStatus: status });
    }
    expect(redirectTarget.receiver.received).toEqual([]);
  });

  it('has a time limit, and its response has a size limit', async () => {
    const [silent, endless, dripping] = [await bench.hook(), await bench.hook(), await bench.hook()];
    silent.receiver.respond = () => {};
    endless.receiver.respond = (response) => {
      response.writeHead(400);
      const more = () => void (!response.destroyed && response.write('x'.repeat(65_536), more));
      more();
    };
    // The status alone confirms the delivery.
    dripping.receiver.respond = (response) => void response.writeHead(200).write('taken\0');
    const ids = [await bench.test(silent), await bench.test(endless), await bench.test(dripping)] as const;
    expect(await bench.reached(ids[2], 'delivered')).toMatchObject({
      attempts: 1,
      responseBody: 'taken\ufffd',
    });
    await bench.attempted(ids[0], 1);
    expect(await bench.delivery(ids[0])).toMatchObject({ responseStatus: null, error: 'timeout' });
    expect(await bench.delivery(ids[1])).toMatchObject({
      responseStatus: 400,
      responseBody: 'x'.repeat(1_024),
    });
    await until(() => endless.receiver.connections > 1, 'the delivery is retried');
  });
});

it('opens at most four connections to a hanging receiver and does not delay others', async () => {
  const other = await PhoneUser.create(() => bench.server.url);
  await grant(bench.server, other, 5_000);
  const [slow, quick] = [await bench.hook(), await bench.hook(other)];
  let open = 0;
  let most = 0;
  slow.receiver.respond = (response) => {
    most = Math.max(most, ++open);
    response.on('close', () => open--);
  };
  for (let count = 0; count < 12; count++) await bench.test(slow);
  await slow.receiver.wait(4);
  await other.post('/numbers/mine/webhook/test', { numberId: quick.number.id });
  const [first] = await quick.receiver.wait(1);
  const deliveries = await slow.receiver.wait(12);
  // Deliveries to the slow receiver run four at a time. The other receiver does not wait until all of them are done.
  expect(first?.at).toBeLessThan(deliveries[11]?.at ?? 0);
  expect(most).toBe(4);
  expect(idsOf(slow.receiver.received.slice(0, 12)).size).toBe(12);
});

it('logs no errors and no secrets', () => {
  expect(bench.server.log).not.toMatch(/"level":50/);
  expect(bench.server.log).not.toMatch(/whsec_|webhook-signature/);
});
