import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Parley } from '../../../sdk/src/index.ts';
import { BotMedia } from '../../harness/clients/BotMedia.ts';
import { splitRoles, type Cluster } from '../../harness/nodes/Cluster.ts';
import { until } from '../../harness/until.ts';

/* The media node of a stream dies. Publisher and viewers use the SDK, with media. */

let cluster: Cluster;
const bots = new BotMedia();
const clients: Parley[] = [];

beforeAll(async () => {
  cluster = await splitRoles({ STREAM_RECONNECT_SECONDS: '20' });
}, 120_000);
afterAll(async () => {
  for (const client of clients) client.close();
  bots.close();
  await cluster?.close();
});

async function signedIn(): Promise<Parley> {
  const media = { handlerName: 'Chrome111', getUserMedia: bots.getUserMedia } as const;
  const client = new Parley({ apiKey: '', baseUrl: cluster.url(), media });
  clients.push(client);
  await client.signIn(privateKeyToAccount(generatePrivateKey()));
  return client;
}

/** Packets that a viewer's present transport has received, by kind of media. */
async function packets(client: Parley, id: string): Promise<{ audio: number; video: number }> {
  const { receiving } = await client.media.stats(id);
  const inbound = (receiving as RTCInboundRtpStreamStats[]).filter(({ type }) => type === 'inbound-rtp');
  const of = (kind: string) =>
    inbound.reduce((sum, entry) => sum + (entry.kind === kind ? (entry.packetsReceived ?? 0) : 0), 0);
  return { audio: of('audio'), video: of('video') };
}

async function plays(client: Parley, id: string, from: string): Promise<void> {
  const before = await packets(client, id);
  await until(async () => {
    const now = await packets(client, id);
    return now.audio > before.audio && now.video > before.video;
  }, `audio and video ${from}`);
}

it(
  'moves publisher and viewers to another node, and the stream never waits',
  { timeout: 120_000 },
  async () => {
    const [alice, bob, carol] = [await signedIn(), await signedIn(), await signedIn()];
    const { id } = await alice.streaming.create({ title: 'x' });
    const isSending: boolean[] = [];
    bob.on('stream:updated', (stream) => void isSending.push(stream.isSending));
    for (const viewer of [bob, carol]) await viewer.streaming.watch(id);
    await alice.streaming.start({ streamId: id });
    await until(() => isSending.at(-1), 'the stream is live');
    for (const viewer of [bob, carol]) await plays(viewer, id, 'of the publisher');
    isSending.length = 0;

    const owner = await cluster.mediaNodeOf(id);
    await owner.server.kill();
    await until(async () => (await cluster.mediaNodeOf(id)) !== owner, 'another node owns the room');
    for (const viewer of [bob, carol]) await plays(viewer, id, 'through the other node');
    expect(isSending).not.toContain(false);
    expect(await carol.streaming.get(id)).toMatchObject({ status: 'live', isSending: true, viewerCount: 2 });
  },
);
