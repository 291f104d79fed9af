import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LocalMediaCluster } from '../../../media/cluster/LocalMediaCluster.ts';
import type { Packaged } from '../../../media/Packaging.ts';
import { openLocal } from '../../harness/media/mediaFixtures.ts';
import { runTool } from '../../../server/files/runTool.ts';
import { createPackager } from '../../../server/compose/createHls.ts';
import type { HlsPackager } from '../../../server/streaming/hls/HlsPackager.ts';
import type { FfmpegSlots } from '../../../server/streaming/FfmpegSlots.ts';
import { publisherIdentity } from '../../../signaling/streaming/StreamGateway.ts';
import { ffmpegSlots } from '../../harness/media/ffmpegs.ts';
import { SyntheticPeer } from '../../harness/clients/SyntheticPeer.ts';
import { until } from '../../harness/until.ts';
import { mediaPorts } from '../../harness/nodes/ports.ts';

/* HLS of devices that publish VP8, as browsers do through the SDK or WHIP. */

const roomId = 'str_devices';
let cluster: LocalMediaCluster;
let packager: HlsPackager;
let slots: FfmpegSlots;
let folder: string;
const peers: SyntheticPeer[] = [];

beforeEach(async () => {
  cluster = await openLocal();
  folder = await mkdtemp(join(tmpdir(), 'parley-hls-'));
  slots = ffmpegSlots();
  packager = await createPackager({
    config: { FFMPEG_BIN: 'ffmpeg', DATA_DIR: folder, HLS_IDLE_SECONDS: 30 },
    local: cluster,
    slots,
    log: pino({ level: 'silent' }),
    listen: { ip: '127.0.0.1', ports: mediaPorts },
  });
  await cluster.openRoom(roomId);
});
afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.leave()));
  await packager?.close();
  await cluster?.close();
  await rm(folder, { recursive: true, force: true });
});

async function publish(id: string): Promise<void> {
  const peer = await SyntheticPeer.join(cluster, roomId, id, { identity: publisherIdentity });
  peers.push(peer);
  await peer.show({ width: 320, height: 180 });
  await peer.speak();
}

type Segment = Packaged['segments'][number];

/** The number of the run that made a segment, with which its name begins. */
const runOf = (segment?: Segment) => Number.parseInt(segment?.name ?? '', 10);

const packaged = (matches: (found: Packaged) => boolean) =>
  until(async () => {
    const found = await packager.playlist(roomId).catch(() => null);
    return found && matches(found) ? found : null;
  }, 'segments');

it('transcodes VP8 to H.264 and continues when another device publishes', async () => {
  await publish('first');
  const found = await packaged(({ segments }) => segments.length >= 3);
  expect(slots.encoders.free).toBe(0);
  expect(found.codecs[0]).toMatch(/^avc1\.42/);
  expect(found.codecs[1]).toBe('mp4a.40.2');
  expect(found.size).toEqual({ width: 320, height: 180 });
  const [segment] = found.segments;
  // Three seconds, because a single segment may be almost empty if the machine stalls.
  const names = found.segments.slice(0, 3).map(({ name }) => name);
  const bytes = await Promise.all(names.map((name) => packager.file(roomId, found.packageId, name)));
  const path = join(folder, 'three.ts');
  await writeFile(path, Buffer.concat(bytes.map((each) => each ?? Buffer.alloc(0))));
  const shown = ['-show_entries', 'stream=codec_name,nb_read_frames', '-of', 'csv=p=0'];
  const frames = await runTool('ffprobe', ['-v', 'error', '-count_frames', ...shown, path], 10);
  const counts = Object.fromEntries(
    frames
      .trim()
      .split('\n')
      .map((line) => line.split(','))
      .map(([name = '', count]) => [name, Number(count)]),
  );
  expect(counts.h264).toBeGreaterThan(9);
  expect(counts.aac).toBeGreaterThan(60);
  await publish('second');
  const isNext = (one: Segment) => runOf(one) !== runOf(segment);
  const after = await packaged(({ segments }) => segments.some(isNext));
  expect(after.packageId).toBe(found.packageId);
  expect(after.mediaSequence).toBeGreaterThanOrEqual(found.mediaSequence);
  expect(after.segments.find(isNext)?.isNew).toBe(true);
  await packager.close();
  expect(slots.encoders.free).toBe(1);
});

it('always has picture and sound, so that players go on when a publisher adds one', async () => {
  const phone = await SyntheticPeer.join(cluster, roomId, 'phone', { identity: publisherIdentity });
  peers.push(phone);
  const codecs = [expect.stringMatching(/^avc1\./), 'mp4a.40.2'];
  await phone.speak();
  const sound = await packaged(({ segments }) => segments.length >= 2);
  expect(sound.codecs).toEqual(codecs);
  await phone.show({ width: 320, height: 180 });
  const both = await packaged(({ size }) => size?.width === 320);
  expect(both.codecs).toEqual(codecs);
  await cluster.room(roomId).closeProducer({ peerId: 'phone', source: 'microphone' });
  const isNext = (one: Segment) => runOf(one) !== runOf(both.segments.at(-1));
  const picture = await packaged(({ segments }) => segments.slice(-2).every(isNext));
  expect(picture).toMatchObject({ codecs, size: { width: 320, height: 180 } });
});

it('gets upright pictures from phones, because it would not rotate them', async () => {
  const phone = await SyntheticPeer.join(cluster, roomId, 'phone', { identity: publisherIdentity });
  peers.push(phone);
  const { rtpParameters } = await phone.show();
  const uris = rtpParameters.headerExtensions?.map(({ uri }) => uri);
  expect(uris).toContain('urn:ietf:params:rtp-hdrext:sdes:mid');
  expect(uris).not.toContain('urn:3gpp:video-orientation');
});

it('has the shape of the picture, which a publisher by WHIP does not tell, also when a phone is turned', async () => {
  const phone = await SyntheticPeer.join(cluster, roomId, 'phone', { identity: publisherIdentity });
  peers.push(phone);
  await phone.show({ width: 180, height: 320, tellsSize: false });
  const upright = await packaged(({ segments }) => segments.length >= 3);
  expect(upright.size).toEqual({ width: 720, height: 1280 });
  phone.turn();
  const wide = await packaged(({ size }) => size?.width === 1280);
  expect(wide.size).toEqual({ width: 1280, height: 720 });
  expect(runOf(wide.segments.at(-1))).not.toBe(runOf(upright.segments[0]));
});

it('goes on while the microphone is muted', async () => {
  await publish('phone');
  await cluster.room(roomId).setPaused({ peerId: 'phone', source: 'microphone', paused: true });
  const { codecs, mediaSequence, segments } = await packaged((found) => found.segments.length >= 2);
  expect(codecs).toContain('mp4a.40.2');
  const first = mediaSequence + segments.length;
  let made = first;
  // The segments come one by one. If ffmpeg waited for the sound, many would come at once.
  await packaged((found) => {
    const now = found.mediaSequence + found.segments.length;
    expect(now - made).toBeLessThan(7);
    made = now;
    return made >= first + 12;
  });
});

it('has a black picture and sound while the camera is off', async () => {
  const switchCamera = (paused: boolean) =>
    cluster.room(roomId).setPaused({ peerId: 'phone', source: 'camera', paused });
  /** How bright the picture of the latest run is, from 0 to 255, and how loud the sound is, in dB. */
  const latest = async (isIt: (found: Packaged) => boolean) => {
    const { packageId, segments, codecs, size } = await packaged(
      (found) =>
        isIt(found) && found.segments.slice(-2).every((one) => runOf(one) === runOf(found.segments.at(-1))),
    );
    expect(codecs).toHaveLength(2);
    expect(size).toEqual({ width: 320, height: 180 });
    const run = runOf(segments.at(-1));
    const names = segments.filter((one) => runOf(one) === run).map(({ name }) => name);
    const bytes = await Promise.all(names.map((name) => packager.file(roomId, packageId, name)));
    const path = join(folder, 'latest.ts');
    await writeFile(path, Buffer.concat(bytes.map((each) => each ?? Buffer.alloc(0))));
    const print = (key: string) => `metadata=print:key=lavfi.${key}:file=-`;
    const filters = [
      ...['-vf', `signalstats,${print('signalstats.YAVG')}`],
      ...['-af', `astats=metadata=1,a${print('astats.Overall.RMS_level')}`],
    ];
    const shown = await runTool('ffmpeg', ['-v', 'error', '-i', path, ...filters, '-f', 'null', '-'], 10);
    const last = (name: string) => Number([...shown.matchAll(new RegExp(`${name}=(.*)`, 'g'))].at(-1)?.[1]);
    return { run, brightness: last('YAVG'), loudness: last('Overall.RMS_level') };
  };
  await publish('phone');
  await switchCamera(true);
  const dark = await latest(() => true);
  expect(dark.brightness).toBeLessThan(20);
  expect(dark.loudness).toBeGreaterThan(-30);
  await switchCamera(false);
  const bright = await latest(({ segments }) => runOf(segments.at(-1)) !== dark.run);
  expect(bright.brightness).toBeGreaterThan(20);
  await switchCamera(true);
  const again = await latest(({ segments }) => runOf(segments.at(-1)) !== bright.run);
  expect(again.brightness).toBeLessThan(20);
  expect(again.loudness).toBeGreaterThan(-30);
});
