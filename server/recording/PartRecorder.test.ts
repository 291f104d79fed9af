import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import type { RecordingStore } from '../../signaling/recordings/RecordingStore.ts';
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
