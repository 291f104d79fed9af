import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, type OpenDatabase } from '../../platform/database/database.ts';
import { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { copyDatabaseTemplate } from '../../test/harness/nodes/databaseTemplate.ts';
import { until } from '../../test/harness/until.ts';
import { FileQuotas } from './FileQuotas.ts';
import { FileService } from './FileService.ts';
import { FileStore } from './FileStore.ts';
import { ObjectMissing } from './ObjectStorage.ts';
import { serveFile } from './serveFile.ts';

let folder: string;
let database: OpenDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-files-'));
  await copyDatabaseTemplate(folder);
  database = await openDatabase({ dataDir: folder, logger: silent });
});
afterAll(async () => {
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});

it('lets other jobs run while the storage does not answer and many files are deleted', async () => {
  const { db } = database;
  const jobs = new ScheduledJobs(db, silent, { isSingleNode: true });
  const quotas = new FileQuotas({ perWallet: Infinity, installation: Infinity });
  const store = new FileStore(db, quotas, silent);
  const waiting: (() => void)[] = [];
  const storage = {
    list: () => new Promise<string[]>((resolve) => waiting.push(() => resolve([]))),
    delete: () => Promise.resolve(),
  };
  const files = new FileService({ store, storage, jobs, log: silent } as never);
  let rang = false;
  jobs.on('ringing', () => Promise.resolve((rang = true)));
  for (let index = 0; index < 300; index++)
    await store.transaction(async (tx) => {
      const id = await files.reserve(tx, {
        wallet: '0x1111111111111111111111111111111111111111',
        name: null,
      });
      await files.discard(tx, id);
    });
  jobs.start();
  await until(() => waiting.length > 0, 'files are being deleted');
  await jobs.set(db, 'ringing', 'a call', new Date());
  await until(() => rang, 'the other job runs');
  const timer = setInterval(() => waiting.splice(0).forEach((answer) => answer()), 10);
  await until(async () => (await db.execute('SELECT FROM files')).rowCount === 0, 'all files are deleted');
  clearInterval(timer);
  await jobs.close();
});

it('answers that a file does not exist if it is deleted just before its bytes are read', async () => {
  const { db } = database;
  const jobs = new ScheduledJobs(db, silent);
  const quotas = new FileQuotas({ perWallet: Infinity, installation: Infinity });
  const store = new FileStore(db, quotas, silent);
  let beforeRead = () => Promise.resolve();
  const storage = {
    putFile: () => Promise.resolve(5),
    get: async (key: string) => {
      await beforeRead();
      throw new ObjectMissing(key, null);
    },
  };
  const files = new FileService({ store, storage, jobs, log: silent } as never);
  const wallet = '0x1111111111111111111111111111111111111111';
  const id = await store.transaction((tx) => files.reserve(tx, { wallet, name: null }));
  const facts = { kind: 'audio', mimeType: 'audio/webm', width: null, height: null, duration: 1 } as const;
  await files.fill(id, { ...facts, path: 'made', extensions: ['webm'] });
  const file = await files.find(id);
  const request = { headers: {}, range: () => undefined } as never;
  const serve = () => serveFile(request, file, { thumbnail: false, seconds: 0 }, files);
  // Bytes that are missing although nobody deleted the file are a problem of the storage, which the log must show.
  await expect(serve()).rejects.toThrow(ObjectMissing);
  beforeRead = () => store.transaction((tx) => files.discard(tx, id));
  await expect(serve()).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('converts a file once for two requests, of which the second reads it when the first has replaced it', async () => {
  const { db } = database;
  const store = new FileStore(db, new FileQuotas({ perWallet: Infinity, installation: Infinity }), silent);
  const objects = new Set<string>();
  let beforeRead = () => Promise.resolve();
  const storage = {
    putFile: (key: string) => Promise.resolve(objects.add(key) && 5),
    delete: (key: string) => Promise.resolve(objects.delete(key)),
    get: async (key: string) => {
      await beforeRead();
      if (!objects.has(key)) throw new ObjectMissing(key, null);
      return Readable.from(['bytes']);
    },
  };
  const inspector = { toOpus: () => Promise.resolve({ path: 'speech', duration: 2 }) };
  const jobs = new ScheduledJobs(db, silent);
  const files = new FileService({ store, storage, inspector, jobs, workDir: folder, log: silent } as never);
  const wallet = '0x1111111111111111111111111111111111111111';
  const id = await store.transaction((tx) => files.reserve(tx, { wallet, name: null }));
  const facts = { kind: 'audio', mimeType: 'audio/mpeg', width: null, height: null, duration: 1 } as const;
  await files.fill(id, { ...facts, path: 'made', extensions: ['mp3'] });
  let first = Promise.resolve(0);
  beforeRead = async () => {
    beforeRead = () => Promise.resolve();
    first = files.toOpus(id);
    await first;
  };
  expect(await files.toOpus(id)).toBe(2);
  expect(await first).toBe(2);
  expect([...objects]).toEqual([(await files.find(id)).objectKey]);
});
