import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LocalMediaCluster } from '../../../media/cluster/LocalMediaCluster.ts';
import type { MediaEvents } from '../../../media/MediaCluster.ts';
import { openLocal } from '../../harness/media/mediaFixtures.ts';
import { RtmpServer } from '../../../server/streaming/rtmp/RtmpServer.ts';
import { egressSdp } from '../../../server/streaming/egressSdp.ts';
import type { FfmpegSlots } from '../../../server/streaming/FfmpegSlots.ts';
import { holdPairs, untilListened } from '../../../server/streaming/udpPorts.ts';
import { publisherIdentity } from '../../../signaling/streaming/StreamGateway.ts';
import { HeldMedia } from '../../harness/nodes/HeldMedia.ts';
import { killProcess } from '../../harness/nodes/killProcess.ts';
import { allCommandLines, ownFfmpegProcesses, ffmpegSlots } from '../../harness/media/ffmpegs.ts';
import { FakeStreamGateway } from '../../harness/media/FakeStreamGateway.ts';
import { freePorts, mediaPorts } from '../../harness/nodes/ports.ts';
import { FfmpegPublisher } from '../../harness/clients/FfmpegPublisher.ts';
import { RtmpClient } from '../../harness/clients/RtmpClient.ts';
import {
  audioType,
  connect,
  createStream,
  dataType,
  handshake,
  messageOf,
  publish,
  videoType,
} from '../../harness/clients/rtmpMessages.ts';
import { until } from '../../harness/until.ts';

/* Real ffmpeg processes publish, and the tests read the media back from the room. */

let cluster: LocalMediaCluster;
let gateway: FakeStreamGateway;
let rtmp: RtmpServer;
let slots: FfmpegSlots;
let port: number;
let logged = '';
/** Called as by a cluster of several nodes, when the link to a media node is back. */
let onMissed: (event: MediaEvents['eventsMissed']) => void;
const pushers: FfmpegPublisher[] = [];

/** ffmpeg's arguments for a sound and a video of 640x360 that is forwarded without encoding it. */
const copied = [
  ...['-f', 'lavfi', '-i', 'sine=frequency=440'],
  ...['-f', 'lavfi', '-i', 'testsrc=size=640x360:rate=30', '-c:v', 'libx264', '-preset', 'ultrafast'],
  ...['-profile:v', 'main', '-pix_fmt', 'yuv420p', '-g', '30', '-bf', '0', '-c:a', 'aac'],
];

beforeAll(async () => {
  cluster = await openLocal();
});
afterAll(() => cluster?.close());

beforeEach(async () => {
  gateway = new FakeStreamGateway(cluster);
  slots = ffmpegSlots();
  port = await freePorts();
  logged = '';
  const log = pino({ level: 'trace' }, { write: (line: string) => void (logged += line) });
  const listening = vi.spyOn(cluster, 'on');
  rtmp = await RtmpServer.listen({
    host: '127.0.0.1',
    port,
    gateway: gateway,
    cluster,
    slots,
    log,
    ffmpeg: 'ffmpeg',
  });
  const [, handler] = listening.mock.calls.find(([name]) => name === 'eventsMissed') ?? [];
  onMissed = handler as typeof onMissed;
  listening.mockRestore();
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

const waitForPublishers = (publishers: number) =>
  until(
    () => new Set(gateway.calls.filter((words) => words.startsWith('flows'))).size >= publishers,
    `${publishers} publishers send media: ${gateway.calls.join()}`,
  );

interface Frame {
  media_type: string;
  pict_type?: string;
  width?: number;
}

/** Decodes two seconds of the media a viewer receives. */
async function watch(): Promise<Frame[]> {
  const { ports, release } = await holdPairs(2, mediaPorts);
  const [video = 0, audio = 0] = ports;
  const where = { ip: '127.0.0.1', ports: { video, audio } };
  const peerId = randomUUID();
  const opened = await cluster.room(gateway.streamId).openEgress({
    peerId,
    tag: {},
    of: publisherIdentity,
    shows: 'camera',
    ...where,
  });
  const args = ['-v', 'error', '-protocol_whitelist', 'pipe,udp,rtp', '-f', 'sdp', '-i', 'pipe:0'];
  const shown = [
    '-show_entries',
    'frame=media_type,pict_type,width',
    '-of',
    'json',
    '-read_intervals',
    '%+2',
  ];
  await release();
  const ffprobe = spawn('ffprobe', [...args, ...shown], { stdio: ['pipe', 'pipe', 'ignore'] });
  let text = '';
  ffprobe.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  ffprobe.stdin.end(egressSdp(opened, where));
  expect(await untilListened([video, audio], 45_000)).toBe(true);
  const ids = opened.tracks.map(({ consumerId }) => consumerId);
  await cluster.room(gateway.streamId).resumeConsumers({ peerId, consumerIds: ids });
  await once(ffprobe, 'close');
  await cluster.room(gateway.streamId).leave({ peerId });
  return (JSON.parse(text) as { frames: Frame[] }).frames;
}

/** The size of the video, as the room knows it. */
async function watchedSize() {
  const peerId = randomUUID();
  const room = cluster.room(gateway.streamId);
  const { tracks } = await room.openEgress({
    ...{ peerId, tag: {}, of: publisherIdentity, shows: 'camera' },
    ...{ ip: '127.0.0.1', ports: { video: 5_000, audio: 5_002 } },
  });
  await room.leave({ peerId });
  return tracks.find(({ source }) => source === 'camera')?.size;
}

/** Receives media as a viewer does, and collects the times of its packets. */
async function receive() {
  const { ports, release } = await holdPairs(2, mediaPorts);
  const [video = 0, audio = 0] = ports;
  const peerId = randomUUID();
  const room = cluster.room(gateway.streamId);
  const { tracks } = await room.openEgress({
    ...{ peerId, tag: {}, of: publisherIdentity, shows: 'camera' },
    ...{ ip: '127.0.0.1', ports: { video, audio } },
  });
  await release();
  const timesAt = (at: number) => {
    const times: number[] = [];
    const socket = createSocket('udp4').bind(at, '127.0.0.1');
    socket.on('message', (packet) => times.push(packet.readUInt32BE(4)));
    return { times, socket };
  };
  const [camera, microphone] = [timesAt(video), timesAt(audio)];
  await Promise.all([once(camera.socket, 'listening'), once(microphone.socket, 'listening')]);
  await room.resumeConsumers({ peerId, consumerIds: tracks.map(({ consumerId }) => consumerId) });
  return {
    camera: camera.times,
    microphone: microphone.times,
    close: () => [camera, microphone].forEach(({ socket }) => socket.close()),
  };
}

/** The longest step from one of these 32-bit times to the next, in either direction. */
const longestStep = (times: number[]) =>
  Math.max(...times.slice(1).map((time, index) => Math.abs((time - (times[index] ?? 0)) | 0)));

describe('RTMP', () => {
  it('forwards audio and video unchanged, and keeps the stream key out of logs and command lines', async () => {
    push();
    await waitForPublishers(1);
    const frames = await watch();
    expect(frames.filter(({ width }) => width === 640).length).toBeGreaterThan(10);
    expect(frames.filter(({ media_type: type }) => type === 'audio').length).toBeGreaterThan(10);
    expect(slots.encoders.free).toBe(1);
    const [ffmpeg] = await ownCopies('copy');
    expect(ffmpeg).toBeDefined();
    // Only the command line of the publisher contains the key.
    const otherProcesses = (await allCommandLines()).filter(
      ({ args }) => !args.some((arg) => arg.startsWith('rtmp://')),
    );
    expect(otherProcesses.filter(({ args }) => args.join(' ').includes(gateway.key))).toEqual([]);
    expect(logged).toContain('RTMP ingest started');
    expect(logged).not.toContain(gateway.key);
  });

  it('tells the room the size of the video, in which HLS encodes it', async () => {
    push(gateway.key, { size: '360x638' });
    await waitForPublishers(1);
    expect(await watchedSize()).toEqual({ width: 360, height: 638 });
  });

  it('admits a publisher whose address has a slash too many', async () => {
    pushers.push(new FfmpegPublisher(`rtmp://127.0.0.1:${port}/live//${gateway.key}`));
    await waitForPublishers(1);
  });

  it('transcodes video with B-frames, and reports when it has no capacity', async () => {
    push(gateway.key, { bFrames: 2 });
    await waitForPublishers(1);
    const frames = (await watch()).filter(({ media_type: type }) => type === 'video');
    expect(frames.length).toBeGreaterThan(10);
    expect(frames.filter(({ pict_type: type }) => type === 'B')).toEqual([]);
    expect(slots.encoders.free).toBe(0);
    await pushers[0]?.kill();
    await until(() => slots.encoders.free === 1, 'the slot is released');
    expect(slots.processes.free).toBe(20);
    push();
    await waitForPublishers(2);
    const release = slots.encoders.take('another', 'stream');
    const refused = push(gateway.key, { bFrames: 2 });
    await refused.exited();
    release?.();
    expect(logged).toContain('no capacity to convert your video now (B-frames)');
    // The current publisher was not disconnected.
    expect(gateway.publisher).not.toBeNull();
  });

  it('transcodes for a publisher that replaces another in the slot of the replaced one', async () => {
    const first = push(gateway.key, { bFrames: 2 });
    await waitForPublishers(1);
    push(gateway.key, { bFrames: 2 });
    await waitForPublishers(2);
    await first.exited();
    expect(slots.encoders.free).toBe(0);
    expect(slots.processes.free).toBe(19);
  });

  it('transcodes video with long groups of pictures', async () => {
    push(gateway.key, { groupSeconds: 20 });
    await waitForPublishers(1);
    expect(slots.encoders.free).toBe(1);
    await until(() => slots.encoders.free === 0, 'a slot is taken');
    await until(() => gateway.calls.filter((words) => words.startsWith('flows')).length === 2, 'flows again');
    expect((await watch()).filter(({ width }) => width === 640).length).toBeGreaterThan(10);
  });

  it('refuses wrong keys immediately and refuses players', async () => {
    const pusher = push('sk_wrong');
    await pusher.exited();
    // The reason shows that the server refused the key: a client that times out is disconnected without one.
    await until(() => pusher.errors.includes('No stream has this key'), 'the reason arrives');
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

  it('replaces the publisher with the newest one', async () => {
    const first = push();
    await waitForPublishers(1);
    push();
    await waitForPublishers(2);
    await first.exited();
    expect((await watch()).length).toBeGreaterThan(20);
    expect(gateway.publisher).not.toBeNull();
    expect(gateway.calls.filter((words) => words.startsWith('lost'))).toEqual([]);
    expect((await cluster.room(gateway.streamId).peers({})).map(({ sending }) => sending.sort())).toEqual([
      ['camera', 'microphone'],
    ]);
  });

  it('resumes after a lost connection', async () => {
    const first = push();
    await waitForPublishers(1);
    await first.kill();
    await until(() => gateway.calls.some((words) => words.startsWith('lost')), 'the publisher is gone');
    expect(await cluster.room(gateway.streamId).peers({})).toEqual([]);
    expect(await ownFfmpegProcesses()).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    push();
    await waitForPublishers(2);
    expect((await watch()).length).toBeGreaterThan(20);
  });

  it('leaves nothing behind when the publisher goes while its media enters the room', async () => {
    const held = new HeldMedia().next('openIngest');
    const pusher = push();
    await held.arrived;
    await pusher.kill();
    await until(
      () => rtmp.publishers === 0 && logged.includes('RTMP publisher ended'),
      'the publisher is gone',
    );
    held.release();
    await held.settled;
    const peers = () => cluster.room(gateway.streamId).peers({});
    await until(async () => (await peers()).length === 0, 'its peer has left');
    expect(await ownFfmpegProcesses()).toEqual([]);
  });

  it('restarts after its ffmpeg or the media worker dies, and not because its publisher pauses', async () => {
    const pusher = push();
    await waitForPublishers(1);
    const [ffmpeg] = await ownCopies('copy');
    killProcess(ffmpeg?.pid);
    await until(() => gateway.calls.filter((words) => words.startsWith('flows')).length === 2, 'flows again');
    expect((await watch()).length).toBeGreaterThan(20);
    for (const pid of cluster.workerPids) process.kill(pid, 'SIGKILL');
    await until(() => gateway.calls.filter((words) => words.startsWith('flows')).length === 3, 'and again');
    expect((await watch()).length).toBeGreaterThan(20);
    const starts = () => logged.split('RTMP ingest started').length;
    const before = starts();
    pusher.pause();
    await until(() => gateway.calls.at(-1)?.startsWith('waits'), 'its packets no longer arrive');
    // Longer than ffmpeg may be without output.
    await delay(9_000);
    expect(starts()).toBe(before);
    pusher.resume();
    await until(() => gateway.calls.at(-1)?.startsWith('flows'), 'its packets arrive again');
  });

  it('restarts if its media was lost while events of the media node were missed, and only then', async () => {
    push();
    await waitForPublishers(1);
    const { streamId: roomId } = gateway;
    const peers = await cluster.room(roomId).peers({});
    const starts = () => logged.split('RTMP ingest started').length;
    const before = starts();
    onMissed({ roomId, peers });
    for (const { peerId } of peers) await cluster.room(roomId).leave({ peerId });
    onMissed({ roomId, peers });
    await until(() => gateway.calls.filter((words) => words.startsWith('flows')).length === 2, 'flows again');
    expect(starts()).toBe(before + 1);
    expect((await watch()).length).toBeGreaterThan(20);
  });

  it('waits for media before it takes over, and adds a picture that comes later than the sound', async () => {
    const [sound, picture] = await Promise.all([
      tagsOf(['-f', 'lavfi', '-i', 'sine=frequency=440', '-c:a', 'aac']),
      tagsOf([
        ...['-f', 'lavfi', '-i', 'testsrc=size=640x360:rate=30', '-c:v', 'libx264', '-preset', 'ultrafast'],
        ...['-profile:v', 'main', '-pix_fmt', 'yuv420p', '-g', '30', '-bf', '0'],
      ]),
    ]);
    const client = new RtmpClient({ port });
    expect(await client.publish(gateway.key)).toBe(true);
    client.write(messageOf(dataType, Buffer.from('\x02\x00\x0aonMetaData\x05', 'latin1')));
    // Longer than the media of a publisher is inspected.
    await delay(2_000);
    expect(gateway.calls).toEqual([]);
    const stopped = new AbortController();
    const begun = Date.now();
    const sending = [send(client, sound, begun, stopped.signal)];
    await until(() => logged.includes('RTMP ingest started'), 'the sound is sent');
    sending.push(send(client, picture, begun, stopped.signal));
    const sent = async () => (await cluster.room(gateway.streamId).peers({})).flatMap((peer) => peer.sending);
    await until(async () => (await sent()).toSorted().join() === 'camera,microphone', 'both are sent');
    const frames = await watch();
    expect(frames.filter(({ width }) => width === 640).length).toBeGreaterThan(10);
    expect(frames.filter(({ media_type: type }) => type === 'audio').length).toBeGreaterThan(10);
    stopped.abort();
    await Promise.all(sending);
    await client.close();
  });

  it('goes on without a gap when the clock of the publisher jumps, or starts again', async () => {
    const media = await tagsOf(copied);
    const client = new RtmpClient({ port });
    expect(await client.publish(gateway.key)).toBe(true);
    const stopped = new AbortController();
    let isOff = false;
    const sending = send(client, media, Date.now(), stopped.signal, (time) => time + (isOff ? 3_600_000 : 0));
    await waitForPublishers(1);
    const received = await receive();
    for (const off of [false, true, false]) {
      isOff = off;
      const before = received.camera.length;
      await until(() => received.camera.length > before + 60, 'more video arrives');
    }
    expect(await ownCopies('copy')).toHaveLength(1);
    stopped.abort();
    await sending;
    await client.close();
    received.close();
    // Packets of one frame have the same time.
    const frames = [...new Set(received.camera)];
    expect(longestStep(frames) / 90_000).toBeLessThan(10);
    expect(longestStep(received.microphone) / 48_000).toBeLessThan(10);
    expect(frames.length).toBeGreaterThan(received.camera.length / 4);
  });

  it('starts again when the shape of the video changes, as when a phone is turned', async () => {
    const turn = (arg: string) => arg.replace('640x360', '360x640');
    const [wide, upright] = await Promise.all([tagsOf(copied), tagsOf(copied.map(turn))]);
    const client = new RtmpClient({ port });
    expect(await client.publish(gateway.key)).toBe(true);
    const stopped = new AbortController();
    const [begun, turnedAt] = [Date.now(), 4_500];
    const isBefore = ({ milliseconds }: Tag) => milliseconds < turnedAt;
    const header = upright.filter(({ type }) => type === videoType).slice(0, 1);
    const keyAt = upright.findIndex(
      (tag) => !isBefore(tag) && tag.type === videoType && tag.body[0] === 0x17,
    );
    const turned = [...header.map((tag) => ({ ...tag, milliseconds: turnedAt })), ...upright.slice(keyAt)];
    const sending = send(client, [...wide.filter(isBefore), ...turned], begun, stopped.signal);
    await waitForPublishers(1);
    expect(await watchedSize()).toEqual({ width: 640, height: 360 });
    await until(async () => (await watchedSize())?.width === 360, 'the room knows the new size');
    const widths = new Set((await watch()).flatMap(({ width }) => width ?? []));
    expect([...widths]).toEqual([360]);
    stopped.abort();
    await sending;
    await client.close();
  });

  it('reads what a publisher sends right after its key, without waiting for an answer', async () => {
    const media = await tagsOf(copied);
    const client = new RtmpClient({ port });
    const isFirst = ({ milliseconds }: Tag) => milliseconds === 0;
    const first = media.filter(isFirst).map(({ type, body }) => messageOf(type, body, type));
    client.write(Buffer.concat([handshake, connect, createStream, publish(gateway.key), ...first]));
    const stopped = new AbortController();
    const later = media.filter((tag) => !isFirst(tag));
    const sending = send(client, later, Date.now(), stopped.signal);
    await waitForPublishers(1);
    const frames = await watch();
    expect(frames.filter(({ width }) => width === 640).length).toBeGreaterThan(10);
    expect(frames.filter(({ media_type: type }) => type === 'audio').length).toBeGreaterThan(10);
    stopped.abort();
    await sending;
    await client.close();
  });

  it('waits for the codec headers of a camera that sends empty ones and empty messages first', async () => {
    const media = await tagsOf(copied);
    const client = new RtmpClient({ port });
    expect(await client.publish(gateway.key)).toBe(true);
    client.write(
      Buffer.concat([
        messageOf(videoType, Buffer.alloc(0), videoType),
        messageOf(audioType, Buffer.alloc(0), audioType),
        messageOf(videoType, Buffer.from([0x17, 0, 0, 0, 0]), videoType),
        messageOf(audioType, Buffer.from([0xaf, 0]), audioType),
      ]),
    );
    const stopped = new AbortController();
    const sending = send(client, media, Date.now(), stopped.signal);
    await waitForPublishers(1);
    expect((await watch()).filter(({ width }) => width === 640).length).toBeGreaterThan(10);
    expect(await ownCopies('copy')).toHaveLength(1);
    stopped.abort();
    await sending;
    await client.close();
  });

  it('disconnects a client that announces a huge message, and keeps serving others', async () => {
    const socket = createConnection(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    // A handshake, and the header of a message that is too large.
    socket.write(Buffer.concat([Buffer.alloc(3_073, 3), huge()]));
    await once(socket, 'close');
    push();
    await waitForPublishers(1);
  });
});

interface Tag {
  type: number;
  milliseconds: number;
  body: Buffer;
}

/** The tags of an FLV file of 30 seconds. */
async function tagsOf(args: string[]): Promise<Tag[]> {
  const ffmpeg = spawn('ffmpeg', ['-v', 'error', ...args, '-t', '30', '-f', 'flv', '-'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const bytes = await buffer(ffmpeg.stdout);
  const tags: Tag[] = [];
  for (let at = 13; at < bytes.length;) {
    const length = bytes.readUIntBE(at + 1, 3);
    const body = bytes.subarray(at + 11, at + 11 + length);
    tags.push({ type: bytes.readUInt8(at), milliseconds: bytes.readUIntBE(at + 4, 3), body });
    at += 11 + length + 4;
  }
  return tags.filter(({ type }) => type !== dataType);
}

/** Sends tags at the pace of their times, the first of them at once. @param clock the time that the publisher's clock shows at a time */
async function send(
  client: RtmpClient,
  tags: Tag[],
  begun: number,
  stopped: AbortSignal,
  clock = (milliseconds: number) => milliseconds,
): Promise<void> {
  const later = Date.now() - begun;
  for (const { type, milliseconds, body } of tags) {
    if (stopped.aborted) return;
    const at = later + milliseconds;
    if (begun + at > Date.now()) await delay(begun + at - Date.now());
    const message = messageOf(type, body, type);
    message.writeUIntBE(clock(at), 1, 3);
    client.write(message);
  }
}

/** The ingest processes with this argument. */
const ownCopies = async (word: string) =>
  (await ownFfmpegProcesses()).filter(({ args }) => args.includes('live_flv') && args.includes(word));

/** The header of a message of 16 MB. */
const huge = () => Buffer.from([3, 0, 0, 0, 0xff, 0xff, 0xff, 20, 1, 0, 0, 0, 0, 0, 0]);
