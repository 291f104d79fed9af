import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Parley } from '../../../sdk/src/index.ts';
import { BotMedia } from '../../harness/clients/BotMedia.ts';
import { twoNodes, type Cluster } from '../../harness/nodes/Cluster.ts';
import { Prometheus } from '../../harness/services/Prometheus.ts';
import { PushService } from '../../harness/services/PushService.ts';
import { TraceCollector, type Span } from '../../harness/services/TraceCollector.ts';
import { WebhookReceiver } from '../../harness/services/WebhookReceiver.ts';
import { until } from '../../harness/until.ts';
import { api, newKey, type Customer } from '../money/accountSupport.ts';
import { Device } from '../notifications/pushSupport.ts';
import { ask, bearer, closeSockets, newWallet, signIn } from '../support.ts';

/* A Prometheus that reads two nodes on which everything happens that the dashboards show. */

interface Panel {
  title: string;
  targets?: { expr: string }[];
}

const folder = fileURLToPath(new URL('../../../docs/grafana/', import.meta.url));
const panels = ['overview', 'nodes'].flatMap((name) => {
  const { panels } = JSON.parse(readFileSync(`${folder}${name}.json`, 'utf8')) as { panels: Panel[] };
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ name: `${name}: ${title}`, expr: expr.replaceAll('$job', '.*') })),
  );
});

const token = 'a-token-for-the-metrics';
const bots = new BotMedia();
let cluster: Cluster;
let prometheus: Prometheus;
let pushes: PushService;
let receiver: WebhookReceiver;
let collector: TraceCollector;

beforeAll(async () => {
  pushes = await PushService.start();
  receiver = await WebhookReceiver.start();
  collector = await TraceCollector.start();
  cluster = await twoNodes({
    ...pushes.settings,
    METRICS_TOKEN: token,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    MEDIA_WORKERS: '1',
    WEBHOOK_ALLOW_LOOPBACK: 'true',
  });
  const targets = cluster.nodes.map(({ server }) => new URL(server.url).host);
  prometheus = await Prometheus.start(targets, { token, rules: `${folder}alerts.yml` });
  await until(async () => (await prometheus.query('min(up)'))[0] === 1, 'both nodes were read');
});
afterAll(async () => {
  closeSockets();
  bots.close();
  await prometheus?.close();
  await cluster?.close();
  await receiver?.close();
  await pushes?.close();
  await collector?.close();
});

const metricsOf = async (headers: Record<string, string>) =>
  ask(cluster.nodes[0]?.server.url ?? '', 'GET', '/metrics', { headers });

describe('/metrics', () => {
  it('needs the token', async () => {
    expect((await metricsOf({})).status).toBe(401);
    expect((await metricsOf(bearer(`${token}x`))).status).toBe(401);
    const { status, text } = await metricsOf(bearer(token));
    expect(status).toBe(200);
    expect(text).toContain('# TYPE parley_calls gauge');
    // Prometheus may know a node by a name that no user does.
    const named = await metricsOf({ ...bearer(token), Host: 'node-1.monitoring.example:3000' });
    expect(named.status).toBe(200);
  });

  it('has a series for every outcome of texts before the first one, so that an alert sees all of them fail', async () => {
    const { text } = await metricsOf(bearer(token));
    const series = [...text.matchAll(/^parley_carrier_outcomes_total\{carrier="\w+",outcome="(\w+)"\} 0$/gm)];
    expect(series.map(([, outcome]) => outcome)).toEqual(['sent', 'delivered', 'failed']);
  });

  it('has no sum that falls, also when the time of a message lies ahead of the clock', async () => {
    const [alice, bob] = [await cluster.client(), await cluster.client()];
    const send = async (content: string) => {
      const { id } = await alice.parley.messages.send({ to: bob.address, content, type: 'text' });
      await alice.event('message:delivered', ({ messageId }) => messageId === id);
    };
    await send('one');
    const database = new pg.Client({ connectionString: cluster.postgres.url });
    await database.connect();
    await database.query(`UPDATE conversations SET latest_at = now() + interval '1 hour'`);
    await database.end();
    await send('two');
    for (const { server } of cluster.nodes) {
      const { text } = await ask(server.url, 'GET', '/metrics', { headers: bearer(token) });
      expect(Number(/^parley_message_delivery_seconds_sum (\S+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(
        0,
      );
    }
  });

  it('has no labels with values of clients', async () => {
    const { url } = cluster.nodes[0]?.server ?? { url: '' };
    await ask(url, 'GET', '/api/v1/rooms/room_secret?name=secret');
    await ask(url, 'GET', '/SECRET/path');
    await ask(url, 'PROPFIND', '/secret');
    const { text } = await metricsOf(bearer(token));
    expect(text).not.toMatch(/secret/i);
    expect(text).toContain('route="/rooms/:id"');
  });
});

describe('the dashboards and alerts', () => {
  it('show data in every panel once everything has happened, and every rule is valid', async () => {
    const call = await startCall();
    await sendMessagesAndPushes();
    await sendWebhookAndText();
    // Both devices report their media every ten seconds. Then the worker dies, and they recover.
    await until(
      async () => (await prometheus.query('sum(parley_join_duration_seconds_count)'))[0] === 2,
      'two reports',
    );
    const owner = await cluster.mediaNodeOf(call.id);
    const worker = owner.server.logged('media worker started').at(-1);
    process.kill(Number(worker?.pid), 'SIGKILL');
    const recoveries = 'sum(parley_media_recovery_duration_seconds_count{cause="worker"})';
    await until(async () => Number((await prometheus.query(recoveries))[0]) >= 1, 'a recovery is reported');
    let empty: string[] = [];
    const areFilled = async () => {
      const answers = await Promise.all(
        panels.map(async ({ name, expr }) =>
          (await prometheus.query(expr)).length > 0 ? [] : [`${name}: ${expr}`],
        ),
      );
      empty = answers.flat();
      return empty.length === 0;
    };
    await call.end();
    await until(areFilled, 'all panels have data', 20_000, 500).catch(() => expect(empty).toEqual([]));
    const rules = await prometheus.rules();
    expect(rules.length).toBeGreaterThan(10);
    expect(rules.filter(({ health }) => health === 'err')).toEqual([]);
  });
});

describe('traces', () => {
  /** The kind of a span that answers a request, as OTLP numbers it. */
  const server = 2;

  it('follow a realtime request to the database and to the media on another node', async () => {
    // Each process sends its spans when it likes, so their order says nothing.
    const crosses = (spans: Span[]) =>
      spans.some(
        (there) =>
          there.name === 'media.join on another node' &&
          spans.some(({ spanId, pid }) => spanId === there.parentSpanId && pid !== there.pid),
      );
    const trace = await until(() => collector.traces.find(crosses), 'a join on another node');
    const root = trace.find(({ parentSpanId }) => !parentSpanId);
    expect(['calls.start', 'calls.answer', 'media.join']).toContain(root?.name);
    expect(trace.map(({ name }) => name)).toContain('SELECT');
  });

  it('follow an HTTP request, as a part of its client’s trace', async () => {
    const traceId = 'a'.repeat(31) + '1';
    const headers = { traceparent: `00-${traceId}-${'b'.repeat(16)}-01`, ...bearer('pk_wrong_key') };
    await ask(cluster.nodes[0]?.server.url ?? '', 'GET', '/api/v1/account', { headers });
    const span = await until(() => collector.spans.find((one) => one.traceId === traceId), 'its span');
    expect(span).toMatchObject({ name: 'GET /account', parentSpanId: 'b'.repeat(16), kind: server });
  });

  it('begin with requests only, not with the heartbeats and jobs of a server', () => {
    const roots = collector.spans.filter(({ parentSpanId }) => !parentSpanId);
    expect(roots.length).toBeGreaterThan(0);
    expect(roots.filter(({ kind }) => kind !== server).map(({ name }) => name)).toEqual([]);
  });
});

/** A video call between two SDKs, one on each node. */
async function startCall() {
  const clients = await Promise.all(
    cluster.nodes.map(async ({ server }) => {
      const { getUserMedia } = bots;
      const client = new Parley({
        apiKey: '',
        baseUrl: server.url,
        media: { handlerName: 'Chrome111', getUserMedia },
      });
      await client.signIn(newWallet());
      return client;
    }),
  );
  const [alice, bob] = clients as [Parley, Parley];
  const answered = new Promise((resolve, reject) => {
    bob.on('call:incoming', ({ id }) => void bob.calls.answer(id).then(resolve, reject));
  });
  const { id } = await alice.calls.start({ to: bob.session?.walletAddress ?? '', type: 'video' });
  await answered;
  return {
    id,
    end: async () => {
      await alice.calls.end(id);
      for (const client of clients) client.close();
    },
  };
}

async function sendMessagesAndPushes(): Promise<void> {
  const [alice, bob] = [await cluster.client(), await cluster.client()];
  await alice.parley.messages.send({ to: bob.address, content: 'hello', type: 'text' });
  await bob.event('message:received');
  await alice.event('message:delivered');
  const { subscription } = await Device.register(cluster.url(), bob, pushes);
  bob.close();
  await alice.parley.messages.send({ to: bob.address, content: 'are you there?', type: 'text' });
  await subscription.push();
}

async function sendWebhookAndText(): Promise<void> {
  const wallet = newWallet();
  const dashboard = bearer((await signIn(cluster.url(), wallet, { audience: 'dashboard' })).token);
  const customer: Customer = { wallet: wallet.address, dashboard, app: {} };
  const { secret } = await newKey(cluster.url(), customer, { scopes: ['webhooks:write', 'sms:send'] });
  const post = (path: string, body?: object) => api(cluster.url(), 'POST', path, bearer(secret), body);
  const { body } = await post('/webhooks/endpoints', { url: receiver.url });
  await post(`/webhooks/endpoints/${String(body.id)}/test`);
  expect((await post('/sms/send', { to: '+12025550123', message: 'hello' })).status).toBe(202);
  await until(() => receiver.received.length > 0, 'the webhook arrived');
}
