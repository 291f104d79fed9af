import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { plainRtpParameters } from '../../media/plainRtp.ts';
import type { NewEgress } from '../../media/roomOperations.ts';
import type { RecordingStore } from '../../signaling/recordings/RecordingStore.ts';
import { freePorts } from '../../test/harness/nodes/ports.ts';
import { until } from '../../test/harness/until.ts';
import { FolderStorage } from '../files/FolderStorage.ts';
import { PartFile } from './PartFile.ts';
import { PartRecorder, type PartDeps } from './PartRecorder.ts';

it('fails without ending the server if the database is away when the part starts', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  const folder = await mkdtemp(join(tmpdir(), 'parley-part-'));
  onTestFinished(async () => {
    process.off('unhandledRejection', note);
    await rm(folder, { recursive: true, force: true });
  });
  const away = new Error('the database is away');
  // The egress opens later than the database fails.
  const room = {
    openEgress: () => delay(200, { tracks: [] }),
    leave: () => Promise.resolve(),
  };
  const deps: unknown = {
    store: { addPart: () => Promise.reject(away) } satisfies Partial<RecordingStore>,
    storage: await FolderStorage.open(join(folder, 'files')),
    media: { room: () => room },
    listen: { ip: '127.0.0.1', ports: { min: 42_000, max: 42_998 } },
    log: pino({ level: 'silent' }),
    chunkMs: 500,
  };
  const whose = { roomId: 'room', recordingId: 'rec', identity: 'somebody', wallet: '0x1' } as const;
  const part = new PartRecorder(
    { ...whose, shows: 'camera', folder: join(folder, 'parts') },
    deps as PartDeps,
  );
  part.take(new Set(['microphone']));
  await expect(part.done).rejects.toBe(away);
  expect(unhandled).toEqual([]);
});

it('counts the last bytes of a part that were stored while the database was away', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-part-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const counted: { bytes: number; chunks: number }[] = [];
  let isAway = true;
  const store: Partial<RecordingStore> = {
    growPart: (_id, { bytes, chunks }) => {
      if (isAway) return Promise.reject(new Error('the database is away'));
      counted.push({ bytes, chunks });
      return Promise.resolve();
    },
  };
  const storage = await FolderStorage.open(join(folder, 'files'));
  const path = join(folder, 'part.mkv');
  await writeFile(path, Buffer.alloc(1_000, 7));
  const row = { id: 'part', recordingId: 'rec', bytes: 0, chunks: 0 };
  const file = new PartFile(path, row, { store: store as RecordingStore, storage });
  await expect(file.upload()).rejects.toThrow('away');
  isAway = false;
  await file.upload();
  expect(counted).toEqual([{ bytes: 1_000, chunks: 1 }]);
  expect(await storage.list('recordings/rec/part/')).toEqual(['recordings/rec/part/0']);
});

it('ends a part when a picture in H264 is turned, because a file has one size', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-part-'));
  const sending: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const child of sending) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  let port = 0;
  const send = (size: string) => {
    const picture = ['-re', '-f', 'lavfi', '-i', `testsrc=size=${size}:rate=10`];
    const encoding = ['-c:v', 'libx264', '-tune', 'zerolatency', '-pix_fmt', 'yuv420p', '-g', '5'];
    const to = ['-bsf:v', 'dump_extra', '-payload_type', '103', '-ssrc', '7', '-f', 'rtp'];
    const args = ['-v', 'error', ...picture, ...encoding, ...to, `rtp://127.0.0.1:${port}?pkt_size=1200`];
    sending.push(spawn('ffmpeg', args, { stdio: 'ignore' }));
  };
  const room = {
    openEgress: ({ ports }: NewEgress) => {
      port = ports.video;
      const from = { ip: '127.0.0.1', port: 9, srtpKeyBase64: null };
      const size = { width: 1280, height: 720 };
      const rtpParameters = plainRtpParameters('camera', 7);
      return Promise.resolve({
        tracks: [{ source: 'camera', consumerId: 'video', rtpParameters, from, size }],
      });
    },
    resumeConsumers: () => Promise.resolve(send('320x180')),
    requestKeyFrame: () => Promise.resolve(),
    leave: () => Promise.resolve(),
  };
  const low = await freePorts(8);
  const deps: unknown = {
    store: {
      addPart: () => Promise.resolve({ id: 'part', bytes: 0, chunks: 0 }),
      growPart: () => Promise.resolve(),
    },
    storage: await FolderStorage.open(join(folder, 'files')),
    media: { room: () => room },
    ffmpeg: 'ffmpeg',
    listen: { ip: '127.0.0.1', ports: { min: low, max: low + 7 } },
    log: pino({ level: 'silent' }),
    chunkMs: 500,
  };
  const whose = { roomId: 'room', recordingId: 'rec', identity: 'somebody', wallet: '0x1' } as const;
  const parts = join(folder, 'parts');
  const part = new PartRecorder({ ...whose, shows: 'camera', folder: parts }, deps as PartDeps);
  part.take(new Set(['camera']));
  const file = join(parts, 'part.mkv');
  await until(async () => (await stat(file).catch(() => null))?.size, 'the first picture');
  sending.pop()?.kill('SIGKILL');
  send('180x320');
  expect(await part.done).toBeGreaterThan(0);
});
