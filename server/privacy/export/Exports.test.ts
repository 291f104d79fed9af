import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenDatabase } from '../../../platform/database/database.ts';
import { CleanUp, silent } from '../../../test/harness/nodes/embeddedPostgres/support.ts';
import { openTestDatabase } from '../../../test/harness/nodes/openTestDatabase.ts';
import { FileQuotas } from '../../files/FileQuotas.ts';
import { FileService } from '../../files/FileService.ts';
import { FileStore } from '../../files/FileStore.ts';
import { ObjectMissing } from '../../files/ObjectStorage.ts';
import { files as fileRows } from '../../files/tables.ts';
import { newAccount } from '../../money/account/accountOf.ts';
import { dataExports } from '../tables.ts';
import { Exports } from './Exports.ts';

const cleanUp = new CleanUp();
const accountId = 'acc_1';
let workDir: string;
let database: OpenDatabase;

beforeAll(async () => {
  workDir = await cleanUp.temporaryFolder();
  database = await openTestDatabase(cleanUp);
});
afterAll(() => cleanUp.run());

/** Exports whose last transaction fails this many times, after the archive was stored. */
function failing(times: number) {
  const { db, pool } = database;
  const stored = new Set<string>();
  const storage = {
    putFile: (key: string) => Promise.resolve(stored.add(key) && 5),
    delete: (key: string) => Promise.resolve(stored.delete(key)),
    get: (key: string) =>
      stored.has(key)
        ? Promise.resolve(Readable.from(['bytes']))
        : Promise.reject(new ObjectMissing(key, new Error('ENOENT'))),
  };
  let left = times;
  const handlers = new Map<string, (row: { subject: string; attempts: number }) => Promise<void>>();
  const jobs = {
    on: (kind: string, handler: never) => handlers.set(kind, handler),
    set: (_tx: unknown, kind: string) =>
      kind === 'account.export.expired' && left-- > 0
        ? Promise.reject(new Error('Connection terminated'))
        : Promise.resolve(),
  };
  const store = new FileStore(db, new FileQuotas({ perWallet: Infinity, installation: Infinity }), silent);
  const files = new FileService({ store, storage, jobs, log: silent } as never);
  const room = { minFreeBytes: 0, copies: 1 };
  const exports = new Exports({ db, pool, jobs, files, workDir, ...room, days: 7, log: silent } as never);
  const run = (id: string, attempts: number) =>
    handlers.get('account.export')?.({ subject: id, attempts }) ?? Promise.reject(new Error('no handler'));
  return { exports, files, stored, run };
}

const exportOf = async (id: string) =>
  (await database.db.select().from(dataExports)).find((row) => row.id === id);

it('stores the archive again after an attempt that failed once its archive was stored', async () => {
  const { exports, files, stored, run } = failing(1);
  const { id } = await exports.request(database.db, accountId);
  await expect(run(id, 1)).rejects.toThrow('Connection terminated');
  const first = (await exportOf(id))?.fileId ?? '';
  await run(id, 2);
  const row = await exportOf(id);
  expect(row?.status).toBe('ready');
  const { objectKey } = await files.find(row?.fileId ?? '');
  expect(stored).toContain(objectKey);
  await expect(files.find(first)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('keeps no archive of an export that has failed', async () => {
  const { exports, files, run } = failing(5);
  const { id } = await exports.request(database.db, accountId);
  for (let attempt = 1; attempt < 5; attempt++) await run(id, attempt).catch(() => undefined);
  const last = (await exportOf(id))?.fileId ?? '';
  await run(id, 5);
  expect(await exportOf(id)).toMatchObject({ status: 'failed', fileId: null });
  await expect(files.find(last)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('completes although a file is deleted while the archive is written', async () => {
  const { db } = database;
  const wallet = '0x1111111111111111111111111111111111111111';
  const account = (await newAccount(db, { wallet })) ?? '';
  const made = { wallet, kind: 'file', mimeType: 'text/plain', size: 5 } as const;
  for (const id of ['med_there', 'med_gone'])
    await db.insert(fileRows).values({ ...made, id, name: `${id}.txt`, objectKey: `media/${id}` });
  const { exports, stored, run } = failing(0);
  stored.add('media/med_there');
  const { id } = await exports.request(db, account);
  await run(id, 1);
  expect(await exportOf(id)).toMatchObject({ status: 'ready' });
});

it('does not begin an archive that would fill the disk', async () => {
  const { db } = database;
  const wallet = '0x2222222222222222222222222222222222222222';
  const account = (await newAccount(db, { wallet })) ?? '';
  const made = { wallet, kind: 'video', mimeType: 'video/mp4', size: 1e15 } as const;
  await db.insert(fileRows).values({ ...made, id: 'med_film', objectKey: 'media/med_film' });
  const { exports, stored, run } = failing(0);
  stored.add('media/med_film');
  const { id } = await exports.request(db, account);
  await expect(run(id, 1)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect([...stored]).toEqual(['media/med_film']);
  await run(id, 5);
  expect(await exportOf(id)).toMatchObject({ status: 'failed' });
});

it('keeps only the latest archive of an account', async () => {
  const { exports, files, run } = failing(0);
  const account = (await newAccount(database.db, {})) ?? '';
  const make = async () => {
    const { id } = await exports.request(database.db, account);
    await run(id, 1);
    return id;
  };
  const first = await make();
  const { fileId } = (await exportOf(first)) ?? {};
  const second = await make();
  expect(await exportOf(first)).toMatchObject({ status: 'expired', fileId: null });
  await expect(files.find(fileId ?? '')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await exportOf(second)).toMatchObject({ status: 'ready' });
});
