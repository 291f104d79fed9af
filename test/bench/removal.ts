import { Parley } from '../../sdk/src/Parley.ts';
import { api, newCustomer, newKey, roomySettings } from '../integration/money/accountSupport.ts';
import { bearer } from '../integration/support.ts';
import { twoNodes } from '../harness/nodes/Cluster.ts';
import { ofSamples, type Figure } from './report/Figure.ts';
import type { Bench } from './report/Report.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 200);

/** A guest who is connected to one node is removed by a request to the other node. */
export const removal: Bench = {
  title: 'A participant is removed',
  about:
    'In a cluster of two nodes, `DELETE /rooms/{id}/participants/{id}` is sent to the node to which the guest is not connected. ' +
    'The time ends when the guest knows it, another participant knows it, and the guest’s media is closed, which the answer tells.',
  run,
};

async function run(): Promise<Figure[]> {
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
    return ofSamples({
      what: 'removal through another node',
      unit: 'ms',
      samples: times,
      goals: { p95: 200 },
    });
  } finally {
    for (const client of clients) client.close();
    await cluster.close();
  }
}
