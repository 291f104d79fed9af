import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { until } from '../../harness/until.ts';
import { breakoutScenarios, split } from '../../scenarios/breakouts.ts';
import { created, idIn } from '../../scenarios/conference.ts';

let harness: OneNode;

beforeAll(async () => {
  harness = await oneNode({ CALL_GRACE_SECONDS: '3' });
});

afterAll(() => harness?.close());

// The scenarios share no wallets, so they can run at the same time.
describe.concurrent('breakouts on one node', () => {
  it.each(Object.entries(breakoutScenarios))('%s', (_name, scenario) => scenario(harness));
});

it('removes, and changes the role of, a wallet that is in a room and in a breakout with two devices', async () => {
  const [host, bob] = [await harness.client(), await harness.client()];
  const parent = await created(host);
  for (const client of [host, bob]) await client.parley.conference.join(parent);
  const [breakout] = await split(host, parent, [await idIn(host, parent, bob)]);
  await bob.event('conference:moved');
  await idIn(host, breakout.id, bob);
  const second = await harness.client(bob.account);
  await second.parley.conference.join(parent);
  const roleIn = async (room: string) =>
    (await host.parley.conference.get(room)).participants.find(
      ({ walletAddress }) => walletAddress === bob.address,
    )?.role;
  const setRole = async (role: 'host' | 'participant') =>
    host.parley.conference.setRole(parent, await idIn(host, parent, bob), role);
  await setRole('host');
  expect([await roleIn(parent), await roleIn(breakout.id)]).toEqual(['host', 'host']);
  await setRole('participant');
  expect([await roleIn(parent), await roleIn(breakout.id)]).toEqual(['participant', 'participant']);
  await host.parley.conference.kick(parent, await idIn(host, parent, bob));
  for (const client of [bob, second]) await client.event('conference:removed');
  expect([await roleIn(parent), await roleIn(breakout.id)]).toEqual([undefined, undefined]);
  for (const room of [parent, breakout.id])
    await expect(bob.parley.conference.join(room)).rejects.toMatchObject({ reason: 'removed' });
});

it('ends a room when its last participant and that of its breakout leave at the same time', async () => {
  const [host, bob] = [await harness.client(), await harness.client()];
  const parent = await created(host, { emptyTimeout: 1 });
  for (const client of [host, bob]) await client.parley.conference.join(parent);
  const [breakout] = await split(host, parent, [await idIn(host, parent, bob)]);
  await bob.event('conference:moved');
  // Each transaction then commits some time after its last statement, so none sees what the other one has changed.
  await harness.query(`
    CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER slow AFTER UPDATE ON room_members DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
      WHEN (NEW.standing = 'away') EXECUTE FUNCTION wait()`);
  await Promise.all([host.parley.conference.leave(parent), bob.parley.conference.leave(breakout.id)]);
  await harness.query('DROP TRIGGER slow ON room_members; DROP FUNCTION wait');
  await until(
    async () => (await host.parley.conference.get(parent)).endReason === 'empty',
    'the empty room ends',
  );
});
