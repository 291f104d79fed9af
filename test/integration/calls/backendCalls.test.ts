import { afterAll, beforeAll, expect, it } from 'vitest';
import { Parley } from '../../../sdk/src/Parley.ts';
import type { TestClient } from '../../harness/clients/TestClient.ts';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { refused } from '../../scenarios/conference.ts';
import { newKey, queryDatabase } from '../money/accountSupport.ts';
import { bearer, signIn } from '../support.ts';

/* The calls and recordings of a wallet, as the backend of its account sees them. */

let harness: OneNode;
let alice: TestClient;
let bob: TestClient;
let backend: Parley;

beforeAll(async () => {
  harness = await oneNode({ WEBHOOK_ALLOW_LOOPBACK: 'true' });
  [alice, bob] = [await harness.client(), await harness.client()];
  const { token } = await signIn(harness.url(), alice.account, { audience: 'dashboard' });
  const customer = { wallet: alice.address, dashboard: bearer(token), app: {} };
  const scopes = [
    'calls:read',
    'calls:write',
    'recordings:read',
    'recordings:write',
    'webhooks:write',
  ] as const;
  const { secret } = await newKey(harness.url(), customer, { scopes });
  backend = new Parley({ auth: { apiKey: secret }, baseUrl: harness.url() });
  // Nobody listens there: the test reads the events from the feed.
  await backend.webhooks.create({ url: 'http://127.0.0.1:9' });
});
afterAll(() => harness?.close());

async function eventsOf(subject: string) {
  const { data } = await backend.webhooks.events();
  return data.filter(({ subjectId }) => subjectId === subject).map(({ type }) => type);
}

it('lists the calls of the wallet in both directions, ends and declines them', async () => {
  const incoming = await bob.parley.calls.start({ to: alice.address, type: 'audio' });
  expect((await backend.accountCalls.list({ status: 'ringing' })).data).toMatchObject([
    { id: incoming.id, from: bob.address, to: alice.address, direction: 'incoming', durationSeconds: null },
  ]);
  for (let round = 0; round < 2; round++)
    expect(await backend.accountCalls.end(incoming.id)).toMatchObject({
      status: 'declined',
      endReason: 'declined',
    });
  expect(await bob.event('call:declined')).toMatchObject({ id: incoming.id });
  expect(await eventsOf(incoming.id)).toEqual(['call.ringing', 'call.ended']);
  const outgoing = await alice.parley.calls.start({ to: bob.address, type: 'video' });
  await bob.parley.calls.answer(outgoing.id);
  expect(await backend.accountCalls.end(outgoing.id)).toMatchObject({
    status: 'ended',
    direction: 'outgoing',
  });
  expect(await bob.event('call:ended')).toMatchObject({ id: outgoing.id, endReason: 'hangup' });
  expect(await eventsOf(outgoing.id)).toEqual(['call.ringing', 'call.answered', 'call.ended']);
  const missed = await bob.parley.calls.start({ to: alice.address, type: 'audio' });
  await bob.parley.calls.end(missed.id);
  expect(await eventsOf(missed.id)).toEqual(['call.ringing', 'call.missed']);
  const page = await backend.accountCalls.list({ limit: 2 });
  expect(page.data.map(({ id }) => id)).toEqual([missed.id, outgoing.id]);
  const rest = await backend.accountCalls.list({ limit: 2, cursor: page.nextCursor ?? '' });
  expect(rest).toMatchObject({ data: [{ id: incoming.id }], hasMore: false });
});

it('neither shows nor reports a call by a blocked wallet', async () => {
  await alice.parley.calls.block(bob.address);
  const { id } = await bob.parley.calls.start({ to: alice.address, type: 'audio' });
  await bob.parley.calls.end(id);
  expect(await refused(backend.accountCalls.get(id))).toEqual(['NOT_FOUND', 'not_found']);
  expect(await refused(backend.accountCalls.end(id))).toEqual(['NOT_FOUND', 'not_found']);
  expect(await eventsOf(id)).toEqual([]);
});

it('reads and deletes the recordings of the account only', async () => {
  const insert = (id: string, host: string) =>
    queryDatabase(
      harness.server,
      `INSERT INTO recordings (id, kind, room_id, host, title, status, started_at, ended_at, end_reason)
       VALUES ($1, 'call', 'call_x', $2, '', 'failed', now(), now(), 'nothing_recorded')`,
      [id, host],
    );
  const [own, foreign] = [`rec_${'1'.repeat(24)}`, `rec_${'2'.repeat(24)}`];
  await insert(own, alice.address);
  await insert(foreign, bob.address);
  expect((await backend.accountRecordings.list({ status: 'failed' })).data).toMatchObject([
    { id: own, files: [] },
  ]);
  expect((await backend.accountRecordings.list({ status: 'ready' })).data).toEqual([]);
  expect(await refused(backend.accountRecordings.get(foreign))).toEqual(['NOT_FOUND', 'not_found']);
  expect(await refused(backend.accountRecordings.delete(foreign))).toEqual(['NOT_FOUND', 'not_found']);
  expect(await backend.accountRecordings.get(own)).toMatchObject({
    host: alice.address,
    endReason: 'nothing_recorded',
  });
  expect(await backend.accountRecordings.delete(own)).toMatchObject({ id: own });
  expect((await backend.accountRecordings.list()).data).toEqual([]);
});
