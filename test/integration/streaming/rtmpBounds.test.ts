import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LocalMediaCluster } from '../../../media/cluster/LocalMediaCluster.ts';
import { openLocal } from '../../harness/mediaFixtures.ts';
import { RtmpServer } from '../../../server/streaming/rtmp/RtmpServer.ts';
import { ffmpegSlots } from '../../harness/ffmpegs.ts';
import { FakeStreamGateway } from '../../harness/FakeStreamGateway.ts';
import { freePorts } from '../../harness/ports.ts';
import { FfmpegPublisher } from '../../harness/FfmpegPublisher.ts';
import { RtmpClient } from '../../harness/RtmpClient.ts';
import { audioType } from '../../harness/rtmpMessages.ts';
import { until } from '../../harness/until.ts';

/* What publishers together may take of the RTMP port. Most clients here never send any media. */

const megabyte = 1024 * 1024;

let cluster: LocalMediaCluster;
let gateway: ManyKeys;
let rtmp: RtmpServer;
let port: number;
const clients: RtmpClient[] = [];
const pushers: FfmpegPublisher[] = [];

beforeAll(async () => {
  cluster = await openLocal();
});
afterAll(() => cluster?.close());
afterEach(async () => {
  await Promise.all(pushers.splice(0).map((pusher) => pusher.kill()));
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await rtmp.close();
  await cluster.closeRoom(gateway.streamId);
});

/** Beside the key of OpenDoors: "wallet:anything", each of a stream of its own. */
class ManyKeys extends FakeStreamGateway {
  override streamOfKey(key: string): Promise<{ streamId: string; host: string }> {
    const [host = '', rest] = key.split(':');
    return rest ? Promise.resolve({ streamId: key, host }) : super.streamOfKey(key);
  }
}

async function listen(bounds: Parameters<typeof RtmpServer.listen>[0]['bounds'] = {}): Promise<void> {
  gateway = new ManyKeys(cluster);
  port = await freePorts();
  rtmp = await RtmpServer.listen({
    host: '127.0.0.1',
    port,
    gateway: gateway,
    cluster,
    slots: ffmpegSlots(),
    ffmpeg: 'ffmpeg',
    log: pino({ level: 'silent' }),
    bounds: { firstMediaMs: 600_000, ...bounds },
  });
}

function connect(from?: string): RtmpClient {
  const client = new RtmpClient({ port, ...(from ? { from } : {}) });
  clients.push(client);
  return client;
}

async function letIn(key: string, from?: string): Promise<RtmpClient> {
  const client = connect(from);
  expect(await client.publish(key)).toBe(true);
  return client;
}

const open = () => clients.filter(({ isClosed }) => !isClosed);

describe('places of the RTMP port', () => {
  it('are two for a stream: one that is live, and one that arrives', async () => {
    await listen();
    const live = new FfmpegPublisher(`rtmp://127.0.0.1:${port}/live/${gateway.key}`);
    pushers.push(live);
    await until(() => gateway.calls.some((words) => words.startsWith('flows')), 'it is live');
    let newest: RtmpClient | null = null;
    for (let count = 0; count < 30; count++) newest = await letIn(gateway.key);
    await until(() => open().length === 1, 'only one more is kept');
    expect(open()).toEqual([newest]);
    expect(clients[0]?.hasReceived('A newer publisher')).toBe(true);
    expect(rtmp.publishers).toBe(2);
    expect(live.isRunning).toBe(true);
    // Another wallet's publisher has its own.
    const other = await letIn('other:stream');
    expect(rtmp.publishers).toBe(3);
    expect(other.isClosed).toBe(false);
  });

  it('are twenty for a wallet', async () => {
    await listen();
    for (let count = 0; count < 20; count++) await letIn(`one:${count}`);
    const refused = connect();
    expect(await refused.publish('one:more')).toBe(false);
    expect(refused.hasReceived('which is the limit')).toBe(true);
    // One that takes the place of another needs none.
    await letIn('one:5');
    await letIn('other:1');
    expect(rtmp.publishers).toBe(21);
    await clients[0]?.close();
    await until(() => rtmp.publishers === 20, 'one is gone');
    await letIn('one:more');
  });

  it('are bounded for a network, also after a key was shown', async () => {
    await listen({ perNetwork: 3 });
    for (let count = 0; count < 3; count++) await letIn(`wallet-${count}:stream-${count}`);
    await connect().closed();
    await letIn('elsewhere:stream', '127.0.0.2');
    await clients[0]?.close();
    await until(() => rtmp.publishers === 3, 'one is gone');
    await letIn('wallet-4:stream-4');
  });

  it('are lost without picture or sound, whatever else is sent', async () => {
    await listen({ firstMediaMs: 1_000 });
    const silent = await letIn('one:1');
    const other = await letIn('one:2');
    const dripping = setInterval(() => other.write(Buffer.from([3])), 100);
    await Promise.all([silent.closed(), other.closed()]);
    clearInterval(dripping);
    expect(silent.hasReceived('No audio or video arrived for 1 s.')).toBe(true);
    await until(() => rtmp.publishers === 0, 'their places are free');
  });
});

describe('memory of the RTMP port', () => {
  it('is bounded for a connection', async () => {
    await listen();
    const two = await letIn('one:1');
    for (const chunkStream of [4, 5]) two.startMessage(chunkStream, 4 * megabyte);
    await until(() => rtmp.unfinishedBytes > 8 * megabyte, 'both are held');
    two.startMessage(6, megabyte);
    await two.closed();
    expect(rtmp.unfinishedBytes).toBeLessThan(megabyte);
    // Fewer bytes, in more messages than anybody has at a time.
    const many = await letIn('one:2');
    for (const chunkStream of [4, 5, 6, 7]) many.startMessage(chunkStream, 100_000);
    await many.closed();
    const changing = await letIn('one:3');
    changing.startMessage(4, 100_000);
    changing.startMessage(4, 200);
    await changing.closed();
    await until(() => rtmp.unfinishedBytes === 0, 'nothing is held any more');
  });

  it('is bounded for all: the one with most of it goes, of equals the newest', async () => {
    await listen({ unfinishedBytes: 20 * megabyte });
    const modest = await letIn('modest:1');
    modest.startMessage(4, 2 * megabyte);
    const greedy = await Promise.all(['a:1', 'b:1', 'c:1', 'd:1', 'e:1'].map((key) => letIn(key)));
    for (const client of greedy) {
      client.startMessage(4, 4 * megabyte);
      client.startMessage(5, 4 * megabyte - 100_000);
    }
    await until(
      () => greedy.filter(({ isClosed }) => isClosed).length >= 3,
      'those beyond the bound are gone',
    );
    expect(rtmp.unfinishedBytes).toBeLessThanOrEqual(20 * megabyte);
    expect(rtmp.unfinishedBytes).toBeGreaterThan(8 * megabyte);
    // Who holds little may go on while others hold much.
    modest.startMessage(5, 3 * megabyte);
    const newcomer = await letIn('newcomer:1');
    const held = rtmp.unfinishedBytes;
    newcomer.startMessage(4, megabyte);
    await until(() => rtmp.unfinishedBytes !== held, 'it holds something');
    expect(modest.isClosed || newcomer.isClosed).toBe(false);
    await Promise.all(greedy.map((client) => client.close()));
    await until(() => rtmp.unfinishedBytes < 7 * megabyte, 'what they held is free');
  });

  it('is bounded for answers that a client does not read', async () => {
    await listen();
    const client = await letIn('one:1');
    // What the network itself holds is less: 20 MB are asked, and more answered.
    await client.sendWithoutReading(200_000);
    await client.closed();
    await until(() => rtmp.publishers === 0, 'its place is free');
  });

  it('is free again when a large message is complete', async () => {
    await listen();
    const client = await letIn('one:1');
    client.startMessage(4, megabyte, audioType);
    await until(() => rtmp.unfinishedBytes > megabyte, 'it is held');
    client.completeMessage(4, megabyte);
    await until(() => rtmp.unfinishedBytes < 10_000, 'it is free');
    expect(client.isClosed).toBe(false);
  });
});
