import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { until } from '../../harness/until.ts';
import { idsOf, WebhookBench } from './webhookSupport.ts';

/* Webhook deliveries survive a restart of the server. */

let bench: WebhookBench;

beforeAll(async () => {
  // The third attempt and the timeout come after the kill.
  bench = await WebhookBench.start({ WEBHOOK_RETRY_SECONDS: '1,10', WEBHOOK_TIMEOUT_SECONDS: '10' });
});
afterEach(() => bench.closeReceivers());
afterAll(() => bench?.server.dispose());

it('continues retries after a kill and repeats unanswered deliveries', async () => {
  const [failing, hanging] = [await bench.hook(), await bench.hook()];
  failing.receiver.answer(500);
  hanging.receiver.respond = () => {};
  const planned = await bench.test(failing);
  await bench.attempted(planned, 2);
  const unanswered = await bench.test(hanging);
  await hanging.receiver.wait(1);
  await bench.server.kill();
  failing.receiver.answer(204);
  hanging.receiver.answer(204);
  await bench.server.start();
  expect(await bench.reached(planned, 'delivered')).toMatchObject({ attempts: 3 });
  expect(failing.receiver.received).toHaveLength(3);
  expect(idsOf(failing.receiver.received)).toEqual(new Set([planned]));
  // An interrupted delivery does not count as an attempt.
  expect(await bench.reached(unanswered, 'delivered')).toMatchObject({ attempts: 1 });
  expect(hanging.receiver.received).toHaveLength(2);
  expect(idsOf(hanging.receiver.received)).toEqual(new Set([unanswered]));
});

it('returns deliveries in progress to the queue when it stops, and loses none of forty', async () => {
  const hook = await bench.hook();
  hook.receiver.respond = () => {};
  const ids: string[] = [];
  for (let count = 0; count < 40; count++) ids.push(await bench.test(hook));
  await hook.receiver.wait(4);
  expect(await bench.server.stop()).toBe(0);
  hook.receiver.answer(204);
  await bench.server.start();
  await until(() => idsOf(hook.receiver.received).size === ids.length, 'all of them');
  expect(idsOf(hook.receiver.received)).toEqual(new Set(ids));
  expect(bench.server.log).not.toMatch(/scheduled job failed|work of a key failed/);
});
