import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenEgress } from '../../../media/roomOperations.ts';
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
  await rm(folder, { recursive: true, force: true });
});

/** Listens where the session description says, because the packets are awaited there, and writes the segments into its working folder. */
const program = (seconds: number[]) => `#!${process.execPath}
const fs = require('node:fs');
const [, port] = /m=audio (\\d+)/.exec(fs.readFileSync(0, 'utf8'));
require('node:dgram').createSocket('udp4').bind(Number(port));
const entries = ${JSON.stringify(seconds)}.map((length, index) => {
  fs.writeFileSync('0-' + index + '.m4s', 'media');
  return '#EXTINF:' + length.toFixed(6) + ',\\n0-' + index + '.m4s\\n';
});
fs.writeFileSync('0-init.mp4', 'mp4a');
fs.writeFileSync('out.m3u8', '#EXTM3U\\n#EXT-X-MEDIA-SEQUENCE:0\\n' + entries.join(''));
process.on('SIGINT', () => process.exit());
`;

const opened = {
  tracks: [
    {
      source: 'microphone',
      consumerId: 'con_1',
      rtpParameters: {
        codecs: [{ mimeType: 'audio/opus', payloadType: 100, clockRate: 48_000, channels: 2 }],
      },
      from: { ip: '127.0.0.1', port: 5_000, srtpKeyBase64: null },
    },
  ],
} as unknown as OpenEgress;

/** Packages segments of these lengths. @returns the lengths that the playlist has, marked where a discontinuity precedes, and the longest */
async function packagedFrom(seconds: number[]) {
  const ffmpeg = join(folder, 'ffmpeg');
  await writeFile(ffmpeg, program(seconds));
  await chmod(ffmpeg, 0o755);
  const room = {
    openEgress: () => Promise.resolve(opened),
    peers: () => Promise.resolve([]),
    resumeConsumers: () => Promise.resolve(),
    leave: () => Promise.resolve(),
  };
  const deps = {
    local: { room: () => room, on: () => undefined },
    slots: ffmpegSlots(),
    ffmpeg,
    listen: { ip: '127.0.0.1', ports: mediaPorts },
    log: pino({ level: 'silent' }),
  } as unknown as PackagerOptions;
  const own = new HlsPackage({
    ...deps,
    workDir: folder,
    idleMs: 60_000,
    roomId: 'str_1',
    onClosed: () => undefined,
  });
  made = own;
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
});
