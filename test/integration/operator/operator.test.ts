import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  WireOperatorAccount,
  WireOperatorError,
  WireOperatorOverview,
} from '../../../sdk/protocol/operator.ts';
import { RawMediaClient } from '../../harness/clients/RawMediaClient.ts';
import { twoNodes, type Cluster, type ClusterNode } from '../../harness/nodes/Cluster.ts';
import { until } from '../../harness/until.ts';
import { api, newCustomer, newKey } from '../money/accountSupport.ts';
import { ask, bearer, newWallet, nonceOf, signIn, signedMessage, verify } from '../support.ts';

/* What operators see of two nodes, and do with them and with accounts. */

const operator = newWallet();
let cluster: Cluster;
let headers: Record<string, string>;

beforeAll(async () => {
  cluster = await twoNodes({ OPERATOR_WALLETS: operator.address });
  headers = bearer((await signIn(cluster.url(), operator, { audience: 'dashboard' })).token);
});
afterAll(() => cluster?.close());

const call = (method: string, path: string, body?: object) =>
  api(cluster.url(), method, `/operator${path}`, headers, body);
const overview = async () => (await call('GET', '/overview')).body as unknown as WireOperatorOverview;
const nodeOf = async ({ server }: ClusterNode) => {
  const { nodes } = await overview();
  return nodes.find(({ address }) => address?.endsWith(`:${server.ports.clusterPort}`));
};
const isReady = async ({ server }: ClusterNode) => (await ask(server.url, 'GET', '/readyz')).status === 200;

async function sql(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.postgres.url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

it('refuses everybody else', async () => {
  const { dashboard, app } = await newCustomer(cluster.url());
  for (const wrong of [{}, app, dashboard]) {
    const { status } = await api(cluster.url(), 'GET', '/operator/overview', wrong);
    expect([401, 403]).toContain(status);
  }
});

describe('nodes', () => {
  it('are listed with what is going on', async () => {
    const alice = await cluster.client();
    const { id } = await alice.parley.conference.create({ name: 'Room', maxParticipants: 2 });
    await alice.parley.conference.join({ roomId: id, audio: false, video: false });
    await until(async () => (await overview()).now.people === 1, 'one person is in a room');
    const { nodes, now } = await overview();
    expect(now).toMatchObject({ rooms: 1, calls: 0, streams: 0 });
    expect(nodes).toHaveLength(2);
    for (const node of nodes)
      expect(node).toMatchObject({
        roles: ['api', 'signaling', 'media'],
        isDraining: false,
        release: '0.1.0',
      });
    await alice.parley.conference.end(id);
  });

  it('are listed with the live streams and their viewers', async () => {
    const host = await cluster.client();
    const created = [1, 2, 3].map((number) => host.parley.streaming.create({ title: `Stream ${number}` }));
    const [first, second, third] = await Promise.all(created);
    await sql(
      `UPDATE streams SET status = 'live', viewer_count = 2 WHERE id IN ('${first?.id}', '${second?.id}')`,
    );
    await host.parley.streaming.end(third?.id ?? '');
    expect((await overview()).now).toMatchObject({ streams: 2, viewers: 4 });
    for (const stream of [first, second]) await host.parley.streaming.end(stream?.id ?? '');
    expect((await overview()).now).toMatchObject({ streams: 0, viewers: 0 });
  });

  it('hand over their rooms when they are drained, and serve again', async () => {
    const [first, second] = cluster.nodes as [ClusterNode, ClusterNode];
    const { token } = await signIn(cluster.url(), newWallet());
    const device = await RawMediaClient.connect(second.server.url, token);
    const { id } = await device.ask('conference.create', { name: 'Room', maxParticipants: 2 });
    await device.ask('conference.join', { roomId: id });
    await device.publish('conference', id, ['microphone']);
    const owner = await cluster.mediaNodeOf(id);
    const other = owner === first ? second : first;
    const drained = await nodeOf(owner);
    const change = (isDraining: boolean, of = drained) => call('PATCH', `/nodes/${of?.id}`, { isDraining });
    expect((await change(true)).body).toMatchObject({ id: drained?.id, isDraining: true });
    await until(async () => !(await isReady(owner)), 'the node is not ready');
    await until(async () => (await cluster.mediaNodeOf(id)) === other, 'the room has moved');
    const { status, body } = await change(true, await nodeOf(other));
    expect([status, body.message]).toEqual([409, expect.stringContaining('No other node')]);
    await change(false);
    await until(() => isReady(owner), 'the node is ready');
    expect(await isReady(other)).toBe(true);
    await device.ask('conference.end', { roomId: id });
    device.close();
  });

  it('are refused if they do not live', async () => {
    const { status } = await call('PATCH', '/nodes/node_000000000000000000000000', { isDraining: true });
    expect(status).toBe(404);
  });
});

it('shows the errors of all nodes with the ids of their requests', async () => {
  const { dashboard } = await newCustomer(cluster.url());
  await sql('ALTER TABLE api_keys RENAME TO away');
  const { status, body } = await api(cluster.url(), 'GET', '/api-keys', dashboard);
  await sql('ALTER TABLE away RENAME TO api_keys');
  expect(status).toBe(500);
  const found = async () => {
    const answer = await call('GET', `/errors?requestId=${String(body.requestId)}`);
    return (answer.body as unknown as { data: WireOperatorError[] }).data[0];
  };
  expect(await until(found, 'the error is stored')).toMatchObject({
    level: 'error',
    requestId: body.requestId,
    error: expect.stringContaining('api_keys') as string,
  });
});

describe('accounts', () => {
  const find = async (text: string) => {
    const { body } = await call('GET', `/accounts?find=${encodeURIComponent(text)}`);
    return (body as unknown as { data: WireOperatorAccount[] }).data;
  };

  it('are found, and get credits once per idempotency key', async () => {
    const { wallet, dashboard } = await newCustomer(cluster.url());
    const [account] = await find(wallet);
    expect(await find(account?.id ?? '')).toEqual([account]);
    const grant = () =>
      ask(cluster.url(), 'POST', `/api/v1/operator/accounts/${account?.id}/credits`, {
        headers: { ...headers, 'Idempotency-Key': 'grant-1' },
        body: { credits: 40, reason: 'for the outage' },
      });
    await grant();
    expect((await grant()).body).toMatchObject({ credits: (account?.credits ?? 0) + 40 });
    const history = await api(cluster.url(), 'GET', '/account/history', dashboard);
    expect(history.text.match(/for the outage/g)).toHaveLength(1);
    const audit = await api(cluster.url(), 'GET', '/audit-logs?action=credits.granted', dashboard);
    expect(audit.text).toContain('"type":"operator"');
    const isAudited = async () =>
      (await api(cluster.url(), 'GET', '/audit-logs', headers)).text.includes(`${account?.id}/credits`);
    await until(isAudited, 'the request is in the audit log of the operator');
  });

  it('that are blocked lose their sessions, connections and keys until they are unblocked', async () => {
    const url = cluster.url();
    const wallet = newWallet();
    const client = await cluster.client(wallet);
    const dashboard = bearer((await signIn(url, wallet, { audience: 'dashboard' })).token);
    const { secret } = await newKey(url, { wallet: wallet.address, dashboard, app: {} });
    const [account] = await find(wallet.address);
    const closed = client.event('connection:changed', ({ state }) => state !== 'connected');
    const { body } = await call('POST', `/accounts/${account?.id}/block`, { reason: 'sends spam' });
    expect(body).toMatchObject({ blockedFor: 'sends spam', blockedAt: expect.any(String) as string });
    await closed;
    expect((await api(url, 'GET', '/account', dashboard)).status).toBe(401);
    const refused = await api(url, 'GET', '/account', bearer(secret));
    expect([refused.status, refused.body.error]).toEqual([403, 'account_blocked']);
    const proof = await signedMessage(url, wallet, { nonce: await nonceOf(url) });
    const signing = await verify(url, { ...proof, audience: 'app' });
    expect([signing.status, signing.body.error]).toEqual([403, 'account_blocked']);
    expect((await call('GET', '/accounts?blocked=true')).text).toContain(account?.id);

    await call('POST', `/accounts/${account?.id}/unblock`);
    expect((await api(url, 'GET', '/account', bearer(secret))).status).toBe(200);
    const again = bearer((await signIn(url, wallet, { audience: 'dashboard' })).token);
    const audit = await api(url, 'GET', '/audit-logs', again);
    for (const action of ['account.blocked', 'account.unblocked']) expect(audit.text).toContain(action);
    expect(audit.text).not.toContain('sends spam');
  });
});
