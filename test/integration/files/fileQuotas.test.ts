import { readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/nodes/Harness.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import {
  api,
  connectDatabase,
  newCustomer,
  queryDatabase,
  roomySettings,
  type Customer,
} from '../money/accountSupport.ts';
import { begin, patch, picture, post, posted, recording, storedFiles, tone } from './mediaSupport.ts';
import { ask, bearer } from '../support.ts';

/* Quotas: the bytes of files that a wallet and the whole server may store. */

const megabyte = 1024 * 1024;
/** Below the quota of one megabyte, but two of them exceed it. */
const large = 700_000;
const small = 300_000;

const announce = (url: string, { app }: Customer, size: number) =>
  ask(url, 'POST', '/api/v1/media/uploads', { headers: { ...app, 'Upload-Length': String(size) } });

const cancel = async (url: string, { app }: Customer, id: unknown) => {
  const reply = await api(url, 'DELETE', `/media/uploads/${String(id)}`, app);
  expect(reply.status).toBe(204);
};

/** The bytes in use. Expects the stored usage to equal the sum of the files. */
async function usageOf(server: Pick<ServerProcess, 'dataDir'>, holder: string) {
  const [row] = await queryDatabase(
    server,
    `SELECT (SELECT bytes::float8 FROM file_usage WHERE holder = $1) AS stored,
      (SELECT coalesce(sum(counted_bytes), 0)::float8 FROM files WHERE $1 IN (wallet, 'installation')) AS counted`,
    [holder],
  );
  expect(row?.stored ?? 0).toBe(row?.counted);
  return Number(row?.counted);
}

/** Adds a recording's file, which has a separate quota. @returns the usage that the migration computes from all files */
async function migratedUsage(server: ServerProcess) {
  const migration = readFileSync('platform/database/migrations/0012_file_quotas.sql', 'utf8');
  const client = await connectDatabase(server);
  try {
    await client.query(`BEGIN; SET LOCAL session_replication_role = replica;
      DROP TABLE file_usage; ALTER TABLE files DROP COLUMN counted_bytes;
      INSERT INTO files (id, wallet, size) VALUES ('med_recorded', '0x1', 5000000);
      INSERT INTO recording_files (recording_id, file_id, wallet, is_screen, start_seconds)
        VALUES ('rec_1', 'med_recorded', '0x1', false, 0);
      ${migration}`);
    const { rows } = await client.query<Record<string, unknown>>(
      'SELECT holder, bytes FROM file_usage ORDER BY holder',
    );
    return rows;
  } finally {
    await client.end();
  }
}

describe('a wallet’s quota', () => {
  let harness: OneNode;
  let url: string;
  beforeAll(async () => {
    harness = await oneNode({ ...roomySettings, FILES_MEGABYTES_PER_WALLET: '1' });
    url = harness.url();
  });
  afterAll(() => harness?.close());

  it('counts the announced size of an upload, rejects more, and frees it when the upload is cancelled', async () => {
    const alice = await newCustomer(url);
    const first = await announce(url, alice, large);
    expect(first.status).toBe(201);
    const refused = await announce(url, alice, small + 100_000);
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({
        error: 'conflict',
        message: expect.stringMatching(/limit of 1 MB. Delete/) as string,
      }),
    ]);
    const whole = await post(url, alice.app, Buffer.alloc(small + 100_000));
    expect([whole.status, whole.body.error]).toEqual([409, 'conflict']);
    // The quota is exact to the byte.
    const rest = await announce(url, alice, megabyte - large);
    expect(rest.status).toBe(201);
    expect((await announce(url, alice, 1)).status).toBe(409);
    // Another wallet has its own quota.
    expect((await announce(url, await newCustomer(url), large)).status).toBe(201);
    await cancel(url, alice, first.body.id);
    await until(async () => (await announce(url, alice, large)).status === 201, 'its bytes are free again');
    expect(await usageOf(harness.server, alice.wallet)).toBe(megabyte);
  });

  it('is never exceeded by ten simultaneous uploads', async () => {
    const alice = await newCustomer(url);
    const replies = await Promise.all(Array.from({ length: 10 }, () => announce(url, alice, small)));
    expect(replies.map(({ status }) => status).sort()).toEqual([
      201,
      201,
      201,
      ...Array<number>(7).fill(409),
    ]);
    expect(await usageOf(harness.server, alice.wallet)).toBe(3 * small);
    await Promise.all(
      replies.filter(({ status }) => status === 201).map(({ body }) => cancel(url, alice, body.id)),
    );
    await until(async () => (await usageOf(harness.server, alice.wallet)) === 0, 'all bytes are free again');
  });

  it('counts files as stored: an upload that grew beyond the quota completes once there is space', async () => {
    const alice = await newCustomer(url);
    const image = await picture({ width: 400, height: 400 }, 'gif');
    const file = await posted(url, alice.app, image);
    // With its thumbnail, the file takes more than the upload announced.
    const stored = await usageOf(harness.server, alice.wallet);
    expect(stored).toBeGreaterThan(image.length);
    expect(stored).toBeGreaterThan(file.size);
    await cancel(url, alice, file.id);
    await until(async () => (await usageOf(harness.server, alice.wallet)) === 0, 'the file is gone');

    const filler = await announce(url, alice, megabyte - image.length);
    expect(filler.status).toBe(201);
    const { id } = await begin(url, alice.app, image.length);
    const refused = await patch(url, alice.app, id, 0, image);
    expect([refused.status, refused.body.error]).toEqual([409, 'conflict']);
    expect(await usageOf(harness.server, alice.wallet)).toBe(megabyte);
    await cancel(url, alice, filler.body.id);
    const state = () => api(url, 'GET', `/media/uploads/${id}`, alice.app);
    await until(async () => (await state()).status === 200, 'the upload is complete');
    expect((await state()).body.media).toMatchObject({ mimeType: 'image/gif' });
  });

  it('counts a voicemail, as Opus, for its sender until its recipient deletes it', async () => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const { id: mediaId } = await alice.parley.media.upload(await recording('speech.wav', ...tone(2)));
    const uploaded = await usageOf(harness.server, alice.address);
    const request = { mediaId, id: `vm_${'q'.repeat(24)}`, to: bob.address };
    const { id } = (await alice.request('voicemail.record', request)) as { id: string };
    const [stored] = storedFiles(harness.server).filter((path) => path.endsWith(mediaId));
    const usage = await usageOf(harness.server, alice.address);
    expect(usage).toBe(statSync(stored ?? '').size);
    expect(usage).toBeLessThan(uploaded);
    await bob.parley.voicemail.delete(id);
    await until(async () => (await usageOf(harness.server, alice.address)) === 0, 'its bytes are gone');
  });

  it('frees the bytes of a message deleted for everyone, and gives the reason in the SDK’s error', async () => {
    const [alice, bob] = [await harness.client(), await harness.client()];
    const file = await picture({ width: 520, height: 400 });
    expect(file.length).toBeGreaterThan(megabyte / 2);
    const send = () =>
      alice.parley.messages.send({ to: bob.address, content: '', type: 'image', media: { file } });
    const sent = await send();
    await expect(send()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/Delete/) as string,
    });
    await alice.parley.messages.delete(sent.id, { forEveryone: true });
    await until(async () => (await usageOf(harness.server, alice.address)) === 0, 'its bytes are gone');
    expect((await send()).media).toMatchObject({ mimeType: 'image/png' });
    // The rejected upload stored nothing, so just as much of the quota is in use as before.
    const headers = bearer(alice.parley.session?.token ?? '');
    expect((await post(url, headers, file)).status).toBe(409);
  });
});

it('applies the quota of the whole server to all wallets together', async () => {
  const server = await ServerProcess.start({ ...roomySettings, FILES_MEGABYTES: '1' });
  try {
    const { url } = server;
    const [alice, bob] = [await newCustomer(url), await newCustomer(url)];
    const first = await announce(url, alice, large);
    expect(first.status).toBe(201);
    const refused = await announce(url, bob, large);
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({ error: 'conflict', message: expect.stringMatching(/server/) as string }),
    ]);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => announce(url, index % 2 ? alice : bob, 200_000)),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await usageOf(server, 'installation')).toBe(large + 200_000);
    expect(await migratedUsage(server)).toEqual(
      await queryDatabase(server, 'SELECT holder, bytes FROM file_usage WHERE bytes > 0 ORDER BY holder'),
    );
    await cancel(url, alice, first.body.id);
    await until(async () => (await announce(url, bob, large)).status === 201, 'there is space again');
  } finally {
    await server.dispose();
  }
});
