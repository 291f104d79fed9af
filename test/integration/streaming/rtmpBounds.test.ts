import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LocalMediaCluster } from '../../../media/cluster/LocalMediaCluster.ts';
import { openLocal } from '../../harness/media/mediaFixtures.ts';
import { RtmpServer } from '../../../server/streaming/rtmp/RtmpServer.ts';
import { ffmpegSlots } from '../../harness/media/ffmpegs.ts';
import { FakeStreamGateway } from '../../harness/media/FakeStreamGateway.ts';
import { freePorts } from '../../harness/nodes/ports.ts';
import { FfmpegPublisher } from '../../harness/clients/FfmpegPublisher.ts';
import { RtmpClient } from '../../harness/clients/RtmpClient.ts';
import { audioType, deleteStream, messageOf, videoType } from '../../harness/clients/rtmpMessages.ts';
import { until } from '../../harness/until.ts';

/* Limits of the RTMP port on connections and memory. Most clients in this file never send any media. */

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

/** Also accepts keys of the form "wallet:anything", each for a separate stream of that wallet. */
class ManyKeys extends FakeStreamGateway {
  override streamOfKey(key: string): Promise<{ streamId: string; host: string }> {
    const [host = '', rest] = key.split(':');
    return rest ? Promise.resolve({ streamId: key, host }) : super.streamOfKey(key);
  }
}

async function listen(
  bounds: Parameters<typeof RtmpServer.listen>[0]['bounds'] = {},
  { ffmpeg = 'ffmpeg', onLine = (_line: string) => {} } = {},
): Promise<void> {
  gateway = new ManyKeys(cluster);
  port = await freePorts();
  rtmp = await RtmpServer.listen({
    host: '127.0.0.1',
    port,
    gateway: gateway,
    cluster,
    slots: ffmpegSlots(),
    ffmpeg,
    log: pino({}, { write: onLine }),
    bounds: { firstMediaMs: 600_000, ...bounds },
  });
}

function connect(from?: string): RtmpClient {
  const client = new RtmpClient({ port, ...(from ? { from } : {}) });
  clients.push(client);
  return client;
}

async function connected(key: string, from?: string): Promise<RtmpClient> {
  const client = connect(from);
  expect(await client.publish(key)).toBe(true);
  return client;
}

const open = () => clients.filter(({ isClosed }) => !isClosed);

describe('connections of the RTMP port', () => {
  it('are limited to two per stream: the live publisher and its newest successor', async () => {
    await listen();
    const live = new FfmpegPublisher(`rtmp://127.0.0.1:${port}/live/${gateway.key}`);
    pushers.push(live);
    await until(() => gateway.calls.some((words) => words.startsWith('flows')), 'the stream is live');
    let newest: RtmpClient | null = null;
    for (let count = 0; count < 30; count++) newest = await connected(gateway.key);
    await until(() => open().length === 1, 'only one more connection is kept');
    expect(open()).toEqual([newest]);
    expect(clients[0]?.hasReceived('A newer publisher')).toBe(true);
    expect(rtmp.publishers).toBe(2);
    expect(live.isRunning).toBe(true);
    // Publishers of other wallets are not affected.
    const other = await connected('other:stream');
    expect(rtmp.publishers).toBe(3);
    expect(other.isClosed).toBe(false);
  });

  it('are limited to twenty per wallet', async () => {
    await listen();
    for (let count = 0; count < 20; count++) await connected(`one:${count}`);
    const refused = connect();
    expect(await refused.publish('one:more')).toBe(false);
    expect(refused.hasReceived('which is the limit')).toBe(true);
    // A publisher that replaces another does not count towards the limit.
    await connected('one:5');
    await connected('other:1');
    expect(rtmp.publishers).toBe(21);
    await clients[0]?.close();
    await until(() => rtmp.publishers === 20, 'one connection is closed');
    await connected('one:more');
  });

  it('are limited per network, even with valid keys', async () => {
    await listen({ perNetwork: 3 });
    for (let count = 0; count < 3; count++) await connected(`wallet-${count}:stream-${count}`);
    await connect().closed();
    await connected('other-network:stream', '127.0.0.2');
    await clients[0]?.close();
    await until(() => rtmp.publishers === 3, 'one connection is closed');
    await connected('wallet-4:stream-4');
  });

  it('are closed if no audio or video arrives, even if other data does', async () => {
    await listen({ firstMediaMs: 1_000 });
    const silent = await connected('one:1');
    const other = await connected('one:2');
    const dripping = setInterval(() => other.write(Buffer.from([3])), 100);
    await Promise.all([silent.closed(), other.closed()]);
    clearInterval(dripping);
    expect(silent.hasReceived('No audio or video arrived for 1 s.')).toBe(true);
    await until(() => rtmp.publishers === 0, 'both connections are closed');
  });
});

it('ends a publisher that deletes its stream and stays connected', async () => {
  await listen();
  const client = await connected('one:1');
  client.write(deleteStream);
  await client.closed();
  expect(client.hasReceived('NetStream.Unpublish.Success')).toBe(true);
  await until(() => rtmp.publishers === 0, 'the publisher has ended');
});

describe('memory of the RTMP port', () => {
  it('is limited per connection', async () => {
    await listen();
    const two = await connected('one:1');
    for (const chunkStream of [4, 5]) two.startMessage(chunkStream, 4 * megabyte);
    await until(() => rtmp.unfinishedBytes > 8 * megabyte, 'both messages are held');
    two.startMessage(6, megabyte);
    await two.closed();
    expect(rtmp.unfinishedBytes).toBeLessThan(megabyte);
    // Fewer bytes, but more unfinished messages than any real client has.
    const many = await connected('one:2');
    for (const chunkStream of [4, 5, 6, 7]) many.startMessage(chunkStream, 100_000);
    await many.closed();
    const changing = await connected('one:3');
    changing.startMessage(4, 100_000);
    changing.startMessage(4, 200);
    await changing.closed();
    await until(() => rtmp.unfinishedBytes === 0, 'no memory is held');
  });

  it('is limited in total: the connection that holds most is closed first, and the newest if several hold the same', async () => {
    await listen({ unfinishedBytes: 20 * megabyte });
    const modest = await connected('modest:1');
    modest.startMessage(4, 2 * megabyte);
    const greedy = await Promise.all(['a:1', 'b:1', 'c:1', 'd:1', 'e:1'].map((key) => connected(key)));
    for (const client of greedy) {
      client.startMessage(4, 4 * megabyte);
      client.startMessage(5, 4 * megabyte - 100_000);
    }
    await until(
      () => greedy.filter(({ isClosed }) => isClosed).length >= 3,
      'the connections over the limit are closed',
    );
    expect(rtmp.unfinishedBytes).toBeLessThanOrEqual(20 * megabyte);
    expect(rtmp.unfinishedBytes).toBeGreaterThan(8 * megabyte);
    // Connections that hold little memory continue while others hold a lot.
    modest.startMessage(5, 3 * megabyte);
    const newcomer = await connected('newcomer:1');
    const bytesBefore = rtmp.unfinishedBytes;
    newcomer.startMessage(4, megabyte);
    await until(() => rtmp.unfinishedBytes !== bytesBefore, 'it holds memory');
    expect(modest.isClosed || newcomer.isClosed).toBe(false);
    await Promise.all(greedy.map((client) => client.close()));
    await until(() => rtmp.unfinishedBytes < 7 * megabyte, 'their memory is free');
  });

  it('is limited for answers that a client does not read', async () => {
    await listen();
    const client = await connected('one:1');
    // More than the network buffers can hold: 20 MB of requests cause even more bytes of answers.
    await client.sendWithoutReading(200_000);
    await client.closed();
    await until(() => rtmp.publishers === 0, 'the connection is closed');
  });

  it('is not held for each message that waits for a slow ffmpeg', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-slow-'));
    const ffmpeg = join(folder, 'ffmpeg');
    await writeFile(ffmpeg, '#!/bin/sh\nsleep 2\nexec cat >/dev/null\n', { mode: 0o755 });
    const warnings: string[] = [];
    const note = ({ message }: Error) => void warnings.push(message);
    process.on('warning', note);
    try {
      let hasBegun = false;
      await listen({}, { ffmpeg, onLine: (line) => (hasBegun ||= line.includes('RTMP ingest started')) });
      const client = await connected(gateway.key);
      const header = Buffer.from([0x17, 0, 0, 0, 0, 1, 66, 0, 31, 0xff, 0xe1, 0, 0]);
      const frame = (first: number) =>
        messageOf(videoType, Buffer.concat([Buffer.from([first, 1, 0, 0, 0]), Buffer.alloc(1_000)]), 4);
      client.write(Buffer.concat([messageOf(videoType, header, 4), frame(0x17)]));
      await until(() => hasBegun, 'ffmpeg runs');
      client.write(Buffer.concat(Array<Buffer>(24_000).fill(frame(0x27))));
      await until(() => client.unsentBytes === 0, 'ffmpeg has caught up');
      expect(warnings.filter((message) => message.includes('drain'))).toEqual([]);
    } finally {
      process.off('warning', note);
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('is released when a large message is complete', async () => {
    await listen();
    const client = await connected('one:1');
    client.startMessage(4, megabyte, audioType);
    await until(() => rtmp.unfinishedBytes > megabyte, 'the memory is held');
    client.completeMessage(4, megabyte);
    await until(() => rtmp.unfinishedBytes < 10_000, 'the memory is free');
    expect(client.isClosed).toBe(false);
  });
});
