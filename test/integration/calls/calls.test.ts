import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { until } from '../../harness/until.ts';
import { callScenarios } from '../../scenarios/calls.ts';
import { movedCallScenarios } from '../../scenarios/movedCalls.ts';
import { queryDatabase } from '../money/accountSupport.ts';

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode({ CALL_RING_SECONDS: '20', CALL_GRACE_SECONDS: '10' });
});

afterAll(() => harness?.close());

// No two scenarios share a wallet, so they run concurrently.
describe.concurrent('calls on one node', () => {
  it.each(Object.entries({ ...callScenarios, ...movedCallScenarios }))('%s', (_name, scenario) =>
    scenario(harness),
  );
});

it('a callee who answers is told that the caller has lost the connection', async () => {
  const [alice, bob] = [await harness.client(), await harness.client()];
  const { id } = await alice.parley.calls.start({ to: bob.address, type: 'audio' });
  await bob.event('call:incoming');
  alice.close();
  const noticed = "SELECT FROM due WHERE kind = 'call.gone' AND subject = $1";
  const isNoticed = async () => (await queryDatabase(harness.server, noticed, [`${id}/caller`])).length === 1;
  await until(isNoticed, 'the server has noticed it');
  await bob.parley.calls.answer(id);
  const away = { callId: id, walletAddress: alice.address, isAway: true };
  expect(await bob.event('call:participant:away')).toEqual(away);
  await bob.event('call:ended');
});
