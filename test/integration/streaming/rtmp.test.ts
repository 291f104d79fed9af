import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LocalMediaCluster } from '../../../media/cluster/LocalMediaCluster.ts';
import { openLocal } from '../../harness/mediaFixtures.ts';
import { RtmpServer } from '../../../server/streaming/rtmp/RtmpServer.ts';
import { egressSdp } from '../../../server/streaming/egressSdp.ts';
import type { FfmpegSlots } from '../../../server/streaming/FfmpegSlots.ts';
import { holdPairs, untilListened } from '../../../server/streaming/udpPorts.ts';
import { publisherIdentity } from '../../../signaling/streaming/StreamGateway.ts';
import { killProcess } from '../../harness/killProcess.ts';
import { allCommandLines, ownFfmpegProcesses, ffmpegSlots } from '../../harness/ffmpegs.ts';
import { FakeStreamGateway } from '../../harness/FakeStreamGateway.ts';
import { freePorts, mediaPorts } from '../../harness/ports.ts';
import { FfmpegPublisher } from '../../harness/FfmpegPublisher.ts';
import { until } from '../../harness/until.ts';

/* Real ffmpegs push, and what comes into the room is read back. */

let cluster: LocalMediaCluster;
let gateway: FakeStreamGateway;
let rtmp: RtmpServer;
let places: FfmpegSlots;
let port: number;
let logged = '';
const pushers: FfmpegPublisher[] = [];

beforeAll(async () => {
  cluster = await openLocal();
});
afterAll(() => cluster?.close());

beforeEach(async () => {
  gateway = new FakeStreamGateway(cluster);
  places = ffmpegSlots();
  port = await freePorts();
  logged = '';
  const log = pino({ level: 'trace' }, { write: (line: string) => void (logged += line) });
  rtmp = await RtmpServer.listen({
    host: '127.0.0.1',
    port,
    gateway: gateway,
    cluster,
    slots: places,
    log,
    ffmpeg: 'ffmpeg',
  });
});
afterEach(async () => {
  await Promise.all(pushers.splice(0).map((pusher) => pusher.kill()));
  await rtmp.close();
  await cluster.closeRoom(gateway.streamId);
});

function push(
  key = gateway.key,
  form: ConstructorParameters<typeof FfmpegPublisher>[1] = {},
): FfmpegPublisher {
  const pusher = new FfmpegPublisher(`rtmp://127.0.0.1:${port}/live/${key}`, form);
  pushers.push(pusher);
  return pusher;
}

const flowing = (publishers: number) =>
  until(
    () => new Set(gateway.calls.filter((words) => words.startsWith('flows'))).size >= publishers,
    `${publishers} publishers flow: ${gateway.calls.join()}`,
  );

interface Frame {
  media_type: string;
  pict_type?: string;
  width?: number;
}

/** What comes to a viewer, decoded: one frame after another, for two seconds. */
async function watch(): Promise<Frame[]> {
  const { ports, release } = await holdPairs(2, mediaPorts);
  const [video = 0, audio = 0] = ports;
  const where = { ip: '127.0.0.1', ports: { video, audio } };
  const peerId = randomUUID();
  const opened = await cluster.openEgress(gateway.streamId, {
    peerId,
    tag: {},
    of: publisherIdentity,
    shows: 'camera',
    ...where,
  });
  const words = ['-v', 'error', '-protocol_whitelist', 'pipe,udp,rtp', '-f', 'sdp', '-i', 'pipe:0'];
  const shown = [
    '-show_entries',
    'frame=media_type,pict_type,width',
    '-of',
    'json',
    '-read_intervals',
    '%+2',
  ];
  await release();
  const program = spawn('ffprobe', [...words, ...shown], { stdio: ['pipe', 'pipe', 'ignore'] });
  let text = '';
  program.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  program.stdin.end(egressSdp(opened, where));
  expect(await untilListened([video, audio], 45_000)).toBe(true);
  const ids = opened.tracks.map(({ consumerId }) => consumerId);
  await cluster.resumeConsumers(gateway.streamId, peerId, ids);
  await once(program, 'close');
  await cluster.leave(gateway.streamId, peerId);
  return (JSON.parse(text) as { frames: Frame[] }).frames;
}

describe('RTMP', () => {
  it('brings picture and sound into the room as they are, and its key is seen nowhere', async () => {
    push();
    await flowing(1);
    const frames = await watch();
    expect(frames.filter(({ width }) => width === 640).length).toBeGreaterThan(10);
    expect(frames.filter(({ media_type: type }) => type === 'audio').length).toBeGreaterThan(10);
    expect(places.encoders.free).toBe(1);
    const [ffmpeg] = await ownCopies('copy');
    expect(ffmpeg).toBeDefined();
    // The publisher's own command line has it, of course.
    const elsewhere = (await allCommandLines()).filter(
      ({ args }) => !args.some((arg) => arg.startsWith('rtmp://')),
    );
    expect(elsewhere.filter(({ args }) => args.join(' ').includes(gateway.key))).toEqual([]);
    expect(logged).toContain('RTMP ingest started');
    expect(logged).not.toContain(gateway.key);
  });

  it('encodes pictures with B-frames anew, and says when it can’t', async () => {
    push(gateway.key, { bFrames: 2 });
    await flowing(1);
    const frames = (await watch()).filter(({ media_type: type }) => type === 'video');
    expect(frames.length).toBeGreaterThan(10);
    expect(frames.filter(({ pict_type: type }) => type === 'B')).toEqual([]);
    expect(places.encoders.free).toBe(0);
    await pushers[0]?.kill();
    await until(() => places.encoders.free === 1, 'the place is given back');
    expect(places.processes.free).toBe(20);
    push();
    await flowing(2);
    const give = places.encoders.take('another', 'stream');
    const refused = push(gateway.key, { bFrames: 2 });
    await refused.exited();
    give?.();
    expect(logged).toContain('no capacity to convert your video now (B-frames)');
    // Whoever publishes was not cut off for it.
    expect(gateway.publisher).not.toBeNull();
  });

  it('encodes pictures for who takes a stream over, also where no place is left', async () => {
    const first = push(gateway.key, { bFrames: 2 });
    await flowing(1);
    push(gateway.key, { bFrames: 2 });
    await flowing(2);
    await first.exited();
    expect(places.encoders.free).toBe(0);
    expect(places.processes.free).toBe(19);
  });

  it('encodes anew what turns out to have long groups', async () => {
    push(gateway.key, { groupSeconds: 20 });
    await flowing(1);
    expect(places.encoders.free).toBe(1);
    await until(() => places.encoders.free === 0, 'a place is taken');
    await until(() => gateway.calls.filter((words) => words.startsWith('flows')).length === 2, 'flows again');
    expect((await watch()).filter(({ width }) => width === 640).length).toBeGreaterThan(10);
  });

  it('refuses a wrong key at once, and who wants to play', async () => {
    const pusher = push('sk_wrong');
    await pusher.exited();
    // Who only waits is cut off without a word.
    await until(() => pusher.errors.includes('This stream key'), 'it is told why');
    expect(gateway.calls).toEqual([]);
    const other = new FfmpegPublisher(`rtmp://127.0.0.1:${port}/vod/${gateway.key}`);
    await other.exited();
    const player = spawn('ffprobe', ['-v', 'error', `rtmp://127.0.0.1:${port}/live/${gateway.key}`], {
      stdio: 'ignore',
    });
    const [code] = (await once(player, 'exit')) as [number];
    expect(code).not.toBe(0);
    expect(gateway.calls).toEqual([]);
    expect(rtmp.publishers).toBe(0);
    expect(logged).not.toContain(gateway.key);
  });

  it('lets the newest publisher win', async () => {
    const first = push();
    await flowing(1);
    push();
    await flowing(2);
    await first.exited();
    expect((await watch()).length).toBeGreaterThan(20);
    expect(gateway.publisher).not.toBeNull();
    expect(gateway.calls.filter((words) => words.startsWith('lost'))).toEqual([]);
    expect((await cluster.peers(gateway.streamId)).map(({ sending }) => sending.sort())).toEqual([
      ['camera', 'microphone'],
    ]);
  });

  it('is taken up again after a cut', async () => {
    const first = push();
    await flowing(1);
    await first.kill();
    await until(() => gateway.calls.some((words) => words.startsWith('lost')), 'the publisher is gone');
    expect(await cluster.peers(gateway.streamId)).toEqual([]);
    expect(await ownFfmpegProcesses()).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    push();
    await flowing(2);
    expect((await watch()).length).toBeGreaterThan(20);
  });

  it('has its ffmpeg again when that dies, or the room’s media does', async () => {
    push();
    await flowing(1);
    const [ffmpeg] = await ownCopies('copy');
    killProcess(ffmpeg?.pid);
    await until(() => gateway.calls.filter((words) => words.startsWith('flows')).length === 2, 'flows again');
    expect((await watch()).length).toBeGreaterThan(20);
    for (const pid of cluster.workerPids) process.kill(pid, 'SIGKILL');
    await until(() => gateway.calls.filter((words) => words.startsWith('flows')).length === 3, 'and again');
    expect((await watch()).length).toBeGreaterThan(20);
  });

  it('outlives those who send too much', async () => {
    const socket = createConnection(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    // A handshake, and the head of a message that nobody has memory for.
    socket.write(Buffer.concat([Buffer.alloc(3_073, 3), huge()]));
    await once(socket, 'close');
    push();
    await flowing(1);
  });
});

/** Of those that bring publishers in. */
const ownCopies = async (word: string) =>
  (await ownFfmpegProcesses()).filter(({ args }) => args.includes('flv') && args.includes(word));

/** The head of a message of 16 MB. */
const huge = () => Buffer.from([3, 0, 0, 0, 0xff, 0xff, 0xff, 20, 1, 0, 0, 0, 0, 0, 0]);
