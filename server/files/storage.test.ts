import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { S3Server } from '../../test/harness/services/S3Server.ts';
import { until } from '../../test/harness/until.ts';
import { FolderStorage } from './FolderStorage.ts';
import { ObjectMissing, type ObjectStorage } from './ObjectStorage.ts';
import { S3Storage } from './S3Storage.ts';

const log = pino({ level: 'silent' });
let folder: string;
let s3: S3Server;
const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
const region = 'us-east-1';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-storage-'));
  s3 = await S3Server.start();
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await s3?.close();
});

const drivers: [string, () => Promise<ObjectStorage>][] = [
  ['a folder', () => FolderStorage.open(folder)],
  ['S3', () => S3Storage.open({ endpoint: s3.url, bucket: 'files', region, ...keys }, log)],
];

describe.each(drivers)('file storage in %s', (_name, open) => {
  let storage: ObjectStorage;
  beforeAll(async () => {
    storage = await open();
  });

  it('reads files back unchanged, whole and in ranges', async () => {
    const bytes = randomBytes(300_000);
    await storage.put('media/one', bytes);
    const path = join(folder, 'source');
    await writeFile(path, bytes);
    expect(await storage.putFile('media/two', path)).toBe(bytes.length);
    for (const key of ['media/one', 'media/two'])
      expect((await buffer(await storage.get(key))).equals(bytes)).toBe(true);
    const part = await buffer(await storage.get('media/one', { start: 100, end: 199 }));
    expect(part.equals(bytes.subarray(100, 200))).toBe(true);
    expect([await storage.exists('media/one'), await storage.exists('media/three')]).toEqual([true, false]);
  });

  it('replaces files completely', async () => {
    await storage.put('media/again', Buffer.from('long before'));
    await storage.put('media/again', Buffer.from('after'));
    expect((await buffer(await storage.get('media/again'))).toString()).toBe('after');
  });

  it('lists files by folder and deletes them', async () => {
    for (const name of ['0-a', '5-b']) await storage.put(`uploads/x/${name}`, Buffer.from('hello'));
    await storage.put('uploads/xy/0', Buffer.from('hello'));
    expect((await storage.list('uploads/x/')).sort()).toEqual(['uploads/x/0-a', 'uploads/x/5-b']);
    for (const key of await storage.list('uploads/x/')) await storage.delete(key);
    await storage.delete('uploads/x/0-a');
    expect(await storage.list('uploads/x/')).toEqual([]);
    expect(await storage.exists('uploads/xy/0')).toBe(true);
    await expect(storage.get('uploads/x/0-a')).rejects.toThrow(ObjectMissing);
  });

  it('refuses names that lead outside the storage', async () => {
    for (const key of ['../secret.key', 'media/../../x', '/etc/passwd', 'media//x', 'media/.hidden', ''])
      await expect(storage.get(key)).rejects.toThrow('not a name');
  });

  it('allows concurrent writes and deletions', async () => {
    const round = async (index: number) => {
      await storage.put(`busy/${index}`, Buffer.from('x'));
      await storage.delete(`busy/${index}`);
    };
    await Promise.all(Array.from({ length: 40 }, (_, index) => round(index)));
    expect(await storage.list('busy/')).toEqual([]);
  });
});

it('deletes abandoned drafts when a folder storage opens', async () => {
  const own = join(folder, 'own');
  await FolderStorage.open(own);
  const [old, recent] = [join(own, '.drafts/old'), join(own, '.drafts/recent')];
  for (const path of [old, recent]) await writeFile(path, 'x');
  await utimes(old, 0, 0);
  await FolderStorage.open(own);
  expect(await readdir(join(own, '.drafts'))).toEqual(['recent']);
});

it('uploads large files to S3 in parts and reads them back unchanged', async () => {
  const storage = await S3Storage.open({ endpoint: s3.url, bucket: 'files', region, ...keys }, log);
  const path = join(folder, 'large');
  const part = 16 * 1024 * 1024;
  const bytes = randomBytes(2 * part + 1_000);
  await writeFile(path, bytes);
  s3.pieces.length = 0;
  expect(await storage.putFile('media/large', path)).toBe(bytes.length);
  expect(s3.pieces.toSorted((one, other) => one - other)).toEqual([1_000, part, part]);
  expect((await buffer(await storage.get('media/large'))).equals(bytes)).toBe(true);
});

it('stores and reads files in S3 while many receivers take theirs slowly', async () => {
  const storage = await S3Storage.open({ endpoint: s3.url, bucket: 'files', region, ...keys }, log);
  await storage.put('media/film', randomBytes(8 * 1024 * 1024));
  const slow = await Promise.all(Array.from({ length: 60 }, () => storage.get('media/film')));
  await storage.put('media/note', Buffer.from('hello'));
  expect((await buffer(await storage.get('media/note'))).toString()).toBe('hello');
  for (const film of slow) film.destroy();
});

it('rejects a large upload if S3 stops midway', async () => {
  const going = await S3Server.start();
  const storage = await S3Storage.open({ endpoint: going.url, bucket: 'files', region, ...keys }, log);
  const path = join(folder, 'large');
  await writeFile(path, randomBytes(40 * 1024 * 1024));
  const putting = storage.putFile('media/large', path);
  const refused = expect(putting).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await until(() => going.pieces.length > 0, 'a part is sent');
  await going.close();
  await refused;
});

it('ends an object of which S3 sends no more, but not for a reader that is slow', async () => {
  const silent = createServer(({ method }, response) => {
    response.writeHead(200, { 'Content-Length': 10 });
    if (method === 'GET') response.write('begun');
    else response.end();
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const limits = { silentMs: 50 };
  const stuck = await S3Storage.open({ endpoint, bucket: 'files', region, ...keys }, log, limits);
  await expect(buffer(await stuck.get('media/one'))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  silent.closeAllConnections();
  silent.close();
  const storage = await S3Storage.open({ endpoint: s3.url, bucket: 'files', region, ...keys }, log, limits);
  const bytes = randomBytes(4 * 1024 * 1024);
  await storage.put('media/film', bytes);
  const film = await storage.get('media/film');
  await delay(4 * limits.silentMs);
  expect((await buffer(film)).equals(bytes)).toBe(true);
});

it('fails at the start if the bucket is missing, but not if the server is unreachable', async () => {
  const missing = S3Storage.open({ endpoint: s3.url, bucket: 'nothing', region, ...keys }, log);
  await expect(missing).rejects.toThrow('The bucket nothing cannot be opened (404');
  const away = await S3Storage.open(
    { endpoint: 'http://127.0.0.1:1', bucket: 'files', region, ...keys },
    log,
  );
  await expect(away.get('media/one')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await expect(away.objects().next()).rejects.toThrow(
    'The bucket files cannot be listed (connect ECONNREFUSED 127.0.0.1:1): check S3_ENDPOINT',
  );
});
