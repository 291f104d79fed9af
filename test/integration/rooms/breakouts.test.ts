import { afterAll, beforeAll, describe, it } from 'vitest';
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
