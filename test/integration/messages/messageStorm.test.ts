import { afterEach, describe, it } from 'vitest';
import { twoNodes } from '../../harness/nodes/Cluster.ts';
import { oneNode, type Harness } from '../../harness/nodes/Harness.ts';
import { storm } from '../../scenarios/storm.ts';

/*
 * Every message arrives exactly once.
 * `STORM_MESSAGES=10000 npx vitest run test/integration/messages/messageStorm.test.ts` takes some minutes.
 * STORM_SEED repeats a run, as far as a run of two processes and a network is repeatable.
 */

const messages = Number(process.env.STORM_MESSAGES ?? 800);
const seed = Number(process.env.STORM_SEED ?? Date.now() % 1_000_000);
const forMs = Math.max(8_000, messages * 10);
const limits = { messages, seed, forMs, limitMs: 40_000 + forMs };
const settings = {
  RATE_LIMIT_REALTIME: '100000',
  RATE_LIMIT_MESSAGES: '1000000',
  RATE_LIMIT_READS: '100000',
  LOG_LEVEL: 'info',
};
const testLimitMs = 150_000 + 3 * forMs;

let harness: Harness | null = null;

afterEach(() => harness?.close());

describe(`${messages} messages of two wallets with two devices each, seed ${seed}`, () => {
  it(
    'arrive once and in order despite crashes and cut connections on one node',
    async () => {
      const one = await oneNode(settings);
      harness = one;
      await storm({ ...limits, servers: [one.server] });
    },
    testLimitMs,
  );

  it(
    'arrive once and in order despite crashes and cut connections on two nodes',
    async () => {
      const two = await twoNodes(settings);
      harness = two;
      await storm({ ...limits, servers: two.nodes.map(({ server }) => server) });
    },
    testLimitMs,
  );
});
