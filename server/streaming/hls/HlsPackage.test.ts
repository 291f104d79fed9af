import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewEgress, OpenEgress } from '../../../media/roomOperations.ts';
import { ffmpegSlots } from '../../../test/harness/media/ffmpegs.ts';
import { mediaPorts } from '../../../test/harness/nodes/ports.ts';
import { until } from '../../../test/harness/until.ts';
import { HlsPackage, type PackagerOptions } from './HlsPackage.ts';

/* A program in place of ffmpeg writes segments of given lengths at once. */

let folder: string;
let made: HlsPackage | null = null;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-package-'));
});
afterEach(async () => {
  await made?.close();
  made = null;
  peerIds.length = 0;
  encodes.length = silent.length = 0;
  await rm(folder, { recursive: true, force: true });
});

/** Listens where the session description says, because the packets are awaited there, and writes the segments into its working folder. */
const program = (seconds: number[]) => `#!${process.execPath}
const fs = require('node:fs');
for (const [, port] of fs.readFileSync(0, 'utf8').matchAll(/m=\\w+ (\\d+)/g))
  require('node:dgram').createSocket('udp4').bind(Number(port));
const entries = ${JSON.stringify(seconds)}.map((length, index) => {
  fs.writeFileSync('0-' + index + '.ts', 'media');
  return '#EXTINF:' + length.toFixed(6) + ',\\n0-' + index + '.ts\\n';
});
fs.writeFileSync('out.m3u8', '#EXTM3U\\n#EXT-X-MEDIA-SEQUENCE:0\\n' + entries.join(''));
process.on('SIGINT', () => process.exit());
`;

const opus = { mimeType: 'audio/opus', payloadType: 100, clockRate: 48_000, channels: 2 };
const h264 = { mimeType: 'video/H264', payloadType: 103, clockRate: 90_000 };
type Sent = 'microphone' | 'camera';
const track = (source: Sent, srtpKeyBase64: string | null) => ({
  source,
  consumerId: 'con_1',
  rtpParameters: { codecs: [source === 'camera' ? h264 : opus] },
  size: { width: 640, height: 360 },
  from: { ip: '127.0.0.1', port: 5_000, srtpKeyBase64 },
});

/** The peers of the runs so far. */
const peerIds: string[] = [];
/** Whether each run so far encodes, and whether it is silent. */
const [encodes, silent]: [boolean[], boolean[]] = [[], []];
/** What the publisher sends. */
let sending: Sent[] = [];

/** Begins to package segments of these lengths. @param key of packets from another host */
async function begin(seconds: number[], sources: Sent[], key: string | null = null): Promise<HlsPackage> {
  sending = sources;
  const ffmpeg = join(folder, 'ffmpeg');
  await writeFile(ffmpeg, program(seconds));
  await chmod(ffmpeg, 0o755);
  const room = {
    openEgress: ({ peerId }: NewEgress) => {
      peerIds.push(peerId);
      return Promise.resolve({
        tracks: sources.map((source) => track(source, key)),
      } as unknown as OpenEgress);
    },
    requestKeyFrame: () => Promise.resolve(),
    peers: () => Promise.resolve([{ peerId: 'publisher', tag: {}, sending }]),
    resumeConsumers: () => Promise.resolve(),
    leave: () => Promise.resolve(),
  };
  const deps = {
    local: { room: () => room, on: () => undefined },
    slots: ffmpegSlots(),
    ffmpeg,
    listen: { ip: '127.0.0.1', ports: mediaPorts },
    log: pino({}, { write: (line: string) => void onLine(line) }),
  } as unknown as PackagerOptions;
  made = new HlsPackage({
    ...deps,
    workDir: folder,
    idleMs: 60_000,
    roomId: 'str_1',
    onClosed: () => undefined,
  });
  return made;
}

function onLine(line: string): void {
  const run = JSON.parse(line) as { msg: string; encodes: boolean; isSilent: boolean };
  if (run.msg !== 'HLS run started') return;
  encodes.push(run.encodes);
  silent.push(run.isSilent);
}

/** Packages segments of these lengths. @returns the lengths that the playlist has, marked where a discontinuity precedes, and the longest */
async function packagedFrom(seconds: number[]) {
  const own = await begin(seconds, ['microphone']);
  await until(() => own.packaged, 'there are segments');
  const { segments = [], longestSeconds } = own.packaged ?? {};
  return {
    segments: segments.map((one) => (one.isNew ? `new ${one.seconds}` : one.seconds)),
    longestSeconds,
  };
}

describe('the segments of a stream', () => {
  it('leave out the time in which a publisher stalled, which would stay the length that playlists announce', async () => {
    expect(await packagedFrom([1, 1, 1, 8.3, 1, 1])).toEqual({
      segments: ['new 1', 1, 1, 'new 1', 1],
      longestSeconds: 1,
    });
  });

  it('are kept if they are long again and again', async () => {
    expect(await packagedFrom([1, 1, 1, 8.3, 8.3, 1])).toMatchObject({
      segments: ['new 1', 1, 1, 'new 8.3', 1],
      longestSeconds: 8,
    });
  });

  it('are encoded while they are too long otherwise, but not for the next publisher, whose may be short', async () => {
    const own = await begin([1, 3], ['camera']);
    await until(() => encodes.length === 2, 'the video is encoded');
    await until(() => own.packaged, 'there are segments');
    own.onEgressLost(peerIds[1] ?? '');
    await until(() => encodes.length === 3, 'the media of the next publisher is packaged');
    expect(encodes).toEqual([false, true, false]);
  });

  it('are not made if the package is closed while it begins', async () => {
    const own = await begin([1, 1], ['microphone']);
    await own.close();
    expect(peerIds).toEqual([]);
  });

  it('are silent while the microphone of a publisher on another host is muted', async () => {
    const own = await begin([1, 1], ['camera', 'microphone'], 'key');
    await until(() => own.packaged, 'there are segments');
    sending = ['camera'];
    own.onSwitched();
    await until(() => silent.length === 2, 'the next run');
    own.onSwitched();
    sending = ['camera', 'microphone'];
    own.onSwitched();
    await until(() => silent.length === 3, 'the run after it');
    expect(silent).toEqual([false, true, false]);
  });
});
