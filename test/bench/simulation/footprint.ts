import { setTimeout as delay } from 'node:timers/promises';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import type { EventOf } from '../../../sdk/protocol/wire.ts';
import { RawRoomClient, connectRoomClients } from '../../harness/clients/RawRoomClient.ts';
import { startCluster, type Cluster } from '../../harness/nodes/Cluster.ts';
import { PushService, type BrowserSubscription } from '../../harness/services/PushService.ts';
import { Smsc, smscUser } from '../../harness/services/Smsc.ts';
import { WebhookReceiver } from '../../harness/services/WebhookReceiver.ts';
import { api, newCustomer, newKey } from '../../integration/money/accountSupport.ts';
import { closeSockets, newWallet, next, send, signIn, socket } from '../../integration/support.ts';
import { ofValue, type Figure } from '../report/Figure.ts';
import type { Bench } from '../report/Report.ts';
import { capacity } from './capacity.ts';
import { difference, Meter, meterLibrary, type Work } from './Meter.ts';
import { report } from './report.ts';

const idleSeconds = Number(process.env.BENCH_SECONDS ?? 10);
const times = Number(process.env.BENCH_TIMES ?? 20);
/** Connected devices of the idle measurement. */
const devices = 40;
const poolNumber = '+12025550141';
/** The quality log is written every two seconds. */
const backgroundMs = 3_000;

/** An operation: it is done `times` times, one after another. */
type Operation = (index: number) => Promise<unknown>;

/** What the nodes of the cluster talk to. */
interface Outside {
  smsc: Smsc;
  pushes: PushService;
  webhooks: WebhookReceiver;
}

/** A wallet with a push subscription and no connected device. */
interface Away {
  address: string;
  token: string;
  subscription: BrowserSubscription;
}

export const footprint: Bench = {
  title: 'What PostgreSQL and Redis see',
  about: `The statements (with BEGIN and COMMIT), the time in which PostgreSQL executes them, its write-ahead log, the Redis commands, events, CPU time and bytes that each operation costs on two nodes: the difference of \`pg_stat_statements\` and of Redis’s \`INFO\` over ${times} operations, one after another, minus what the idle nodes do in the same time. At the end, what one PostgreSQL and one Redis carry on this machine.`,
  async run() {
    const outside: Outside = {
      smsc: await Smsc.start({ users: [smscUser([poolNumber])] }),
      pushes: await PushService.start(),
      webhooks: await WebhookReceiver.start(),
    };
    try {
      return await onCluster(outside);
    } finally {
      await outside.webhooks.close();
      await outside.pushes.close();
      await outside.smsc.stop();
    }
  },
};

async function onCluster(outside: Outside): Promise<Figure[]> {
  const settings = {
    LOG_LEVEL: 'info',
    NODE_ENV: 'development',
    RATE_LIMIT_REALTIME: '1000000',
    RATE_LIMIT_MESSAGES: '1000000',
    RATE_LIMIT_CALLS: '1000000',
    RATE_LIMIT_CALLED: '1000000',
    RATE_LIMIT_READS: '1000000',
    RATE_LIMIT_WRITES: '1000000',
    SIGNUP_CREDITS: '1000000',
    CARRIER: 'smpp',
    SMPP_URL: outside.smsc.url(),
    SMPP_NUMBERS: poolNumber,
    SMS_POOL_NUMBERS: poolNumber,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    ...outside.pushes.settings,
  };
  const roles = ['api', 'signaling', 'media'];
  const cluster = await startCluster({ 'node 1': roles, 'node 2': roles }, settings, meterLibrary);
  const meter = await Meter.connect(cluster);
  try {
    return [...(await measure(cluster, meter, outside)), ...(await capacity(cluster))];
  } finally {
    closeSockets();
    await meter.close();
    await cluster.close();
  }
}

async function measure(cluster: Cluster, meter: Meter, outside: Outside): Promise<Figure[]> {
  const [one, two] = cluster.nodes.map(({ server }) => server.url) as [string, string];
  await delay(3_000);
  const empty = await idle(meter);
  const figures = figuresOf('two idle nodes, a second', empty);
  const people = await connectRoomClients(one, devices);
  const away = await subscribe(one, outside.pushes);
  await delay(3_000);
  const withDevices = await idle(meter);
  figures.push(
    ...figuresOf('an idle device, a minute', difference(scaled(empty), scaled(withDevices), devices)),
  );
  const measured = async (what: string, operation: Operation) => {
    const before = await meter.read();
    const startedAt = performance.now();
    for (let index = 0; index < times; index++) await operation(index);
    // What follows in the background, such as deliveries, belongs to the operation.
    await delay(backgroundMs);
    const seconds = (performance.now() - startedAt) / 1_000;
    const work = difference(before, await meter.read(), times, { perSecond: withDevices, seconds });
    process.stdout.write(`  ${what}: ${JSON.stringify(work)}\n`);
    figures.push(...figuresOf(what, work));
  };
  const [alice, bob] = [people[0], await RawRoomClient.connect(two)] as [RawRoomClient, RawRoomClient];
  await measured('sign-in over HTTP', () => signIn(one, newWallet()));
  await measured('sign-in and connection', () => RawRoomClient.connect(one));
  const { token } = await signIn(one, newWallet());
  await measured('reconnection and missed events', () => reconnect(one, token));
  await measured('reconnection of a wallet with pushes', (index) => reconnect(one, away[index]?.token ?? ''));
  await measured('message to a device on the other node', (index) =>
    alice.ask('messages.send', {
      id: newId('msg'),
      to: bob.address,
      content: `Message ${index}`,
      type: 'text',
    }),
  );
  await measured('message to a wallet that is away, with its push', async (index) => {
    const { address, subscription } = away[index] as Away;
    const to = { id: newId('msg'), to: address, content: `Message ${index}`, type: 'text' };
    await alice.ask('messages.send', to);
    await subscription.push();
  });
  await measured('call: start, answer, end', async () => {
    const call = { to: bob.address, type: 'video', ...(await alice.media()) };
    const { id: callId } = (await alice.ask('calls.start', call)) as { id: string };
    await bob.ask('calls.answer', { callId, ...(await bob.media()) });
    await alice.ask('calls.end', { callId });
  });
  const { id: room } = (await alice.ask('conference.create', {
    name: 'Footprint',
    maxParticipants: 100,
  })) as {
    id: string;
  };
  await alice.join(room, true);
  await measured('room: join and leave on the other node', async () => {
    await bob.join(room, true);
    await bob.leave(room);
  });
  await measured('quality report of a device in a room', () =>
    alice.ask('media.report', { scope: 'conference', id: room, ...report }),
  );
  await measured('conference chat message', (index) =>
    alice.ask('conference.sendChat', { roomId: room, content: `Chat ${index}` }),
  );
  const { id: streamId } = (await alice.ask('streaming.create', { title: 'Footprint' })) as { id: string };
  await measured('stream: a viewer comes and leaves on the other node', async () => {
    const watching = await bob.ask('streaming.watch', { streamId, ...(await bob.media()) });
    const { place } = watching as { place: string };
    await bob.ask('streaming.unwatch', { streamId, place });
  });
  const customer = await newCustomer(one);
  const { secret } = await newKey(one, customer, { scopes: keyScopes });
  const headers = { Authorization: `Bearer ${secret}` };
  await measured('HTTP read with an API key', () => api(one, 'GET', '/account/credits', headers));
  await measured('text to a telephone, with its receipt', async (index) => {
    const body = { to: `+1415555${String(index).padStart(4, '0')}`, message: 'Your table for two is ready.' };
    await accepted(api(one, 'POST', '/sms/send', { ...headers, 'Idempotency-Key': newId('pay') }, body));
  });
  const { webhooks } = outside;
  const endpoint = await accepted(api(one, 'POST', '/webhooks/endpoints', headers, { url: webhooks.url }));
  await measured('webhook: the request that causes it, and its delivery', async () => {
    const count = webhooks.received.length;
    await accepted(api(one, 'POST', `/webhooks/endpoints/${String(endpoint.id)}/test`, headers));
    await webhooks.wait(count + 1);
  });
  return figures;
}

/** @throws Error with a refusal */
async function accepted(reply: ReturnType<typeof api>): Promise<Record<string, unknown>> {
  const { status, text, body } = await reply;
  if (status >= 300) throw new Error(`${status} ${text}`);
  return body;
}

/** Connects a device with its token and reads what it missed, as after a lost connection. */
async function reconnect(url: string, token: string): Promise<void> {
  const device = socket(url, { token, protocolVersion });
  const { latestEvent } = await next<EventOf<'session:welcome'>>(device, 'session:welcome');
  const answer = await send(device, 'session.catchUp', { after: Math.max(0, latestEvent - 1) });
  if (!answer.ok) throw new Error(answer.error.message);
  device.disconnect();
}

/** Wallets that register for pushes and leave. */
async function subscribe(url: string, pushes: PushService): Promise<Away[]> {
  const away: Away[] = [];
  while (away.length < times) {
    const wallet = newWallet();
    const { token } = await signIn(url, wallet);
    const device = socket(url, { token, protocolVersion });
    await next(device, 'session:welcome');
    const key = await send(device, 'notifications.getServerKey', {});
    if (!key.ok) throw new Error(key.error.message);
    const subscription = pushes.subscribe((key.data as { publicKey: string }).publicKey);
    const answer = await send(device, 'notifications.register', subscription.target);
    if (!answer.ok) throw new Error(answer.error.message);
    device.disconnect();
    away.push({ address: wallet.address, token, subscription });
  }
  return away;
}

async function idle(meter: Meter): Promise<Work> {
  const before = await meter.read();
  const startedAt = performance.now();
  await delay(idleSeconds * 1_000);
  return difference(before, await meter.read(), (performance.now() - startedAt) / 1_000);
}

/** Per minute instead of per second. */
function scaled(work: Work): Work {
  return Object.fromEntries(
    Object.entries(work).map(([name, value]) => [name, Number(value) * 60]),
  ) as unknown as Work;
}

function figuresOf(what: string, work: Work): Figure[] {
  return [
    ofValue(`${what}: statements`, '', work.statements),
    ofValue(`${what}: rows`, '', work.rows),
    ofValue(`${what}: PostgreSQL`, 'ms', work.postgresMs),
    ofValue(`${what}: write-ahead log`, 'kB', work.walBytes / 1_000),
    ofValue(`${what}: Redis commands`, '', work.commands),
    ofValue(`${what}: events for other nodes`, '', work.events),
    ofValue(`${what}: CPU time of Redis`, 'ms', work.redisMs),
    ofValue(`${what}: into Redis`, 'kB', work.redisBytesIn / 1_000),
    ofValue(`${what}: out of Redis`, 'kB', work.redisBytesOut / 1_000),
  ];
}
