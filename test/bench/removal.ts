import { Parley } from '../../sdk/src/Parley.ts';
import { api, newCustomer, newKey, roomySettings } from '../integration/money/accountSupport.ts';
import { bearer } from '../integration/support.ts';
import { twoNodes } from '../harness/nodes/Cluster.ts';
import { percentile } from './figures.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 200);
const goalMs = 200;

/**
 * Removes a guest who is connected to one node by a request to the other node. Measures the time from the request until the guest knows
 * it, another participant knows it, and the guest's media is closed, which the answer tells.
 */
export async function benchRemoval(): Promise<boolean> {
  const cluster = await twoNodes({ ...roomySettings, RATE_LIMIT_JOINS: '100000', LOG_LEVEL: 'warn' });
  const clients: Parley[] = [];
  try {
    const [near, far] = cluster.nodes.map(({ server }) => server.url) as [string, string];
    const customer = await newCustomer(near);
    const scopes = ['rooms:write', 'tokens:create'] as const;
    const key = bearer((await newKey(near, customer, { scopes })).secret);
    const { id } = (await api(near, 'POST', '/rooms', key, { name: 'removal', maxParticipants: 10 })).body;
    const guest = async (identity: string) => {
      const reply = await api(near, 'POST', `/rooms/${String(id)}/tokens`, key, { identity });
      const client = new Parley({ participantToken: reply.body.token as string, baseUrl: far });
      clients.push(client);
      await client.conference.join(id as string);
      return client;
    };
    const witness = await guest('witness');
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const removed = await guest(`guest-${round}`);
      const found = witness.conference
        .participants(id as string)
        .find(({ walletAddress }) => walletAddress === `guest:guest-${round}`);
      const startedAt = performance.now();
      const told = new Promise((resolve) => removed.on('conference:removed', resolve));
      const seen = new Promise((resolve) => witness.on('conference:participant:left', resolve));
      const path = `/rooms/${String(id)}/participants/${found?.id ?? ''}`;
      const [reply] = await Promise.all([api(near, 'DELETE', path, key), told, seen]);
      times.push(performance.now() - startedAt);
      if (reply.status >= 300) throw new Error(reply.text);
      removed.close();
      witness.off('conference:participant:left');
    }
    const p95 = percentile(times, 0.95);
    console.log(
      `removal through another node: p50 ${percentile(times, 0.5).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms of ${rounds} (goal: p95 at most ${goalMs} ms)`,
    );
    return p95 <= goalMs;
  } finally {
    for (const client of clients) client.close();
    await cluster.close();
  }
}
