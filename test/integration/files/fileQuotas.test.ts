import { readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneNode, type OneNode } from '../../harness/Harness.ts';
import { ServerProcess } from '../../harness/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import {
  api,
  connectDatabase,
  newCustomer,
  queryDatabase,
  roomySettings,
  type Customer,
} from '../money/accountSupport.ts';
import { begin, patch, picture, post, posted, recording, storedFiles, tone } from '../rooms/mediaSupport.ts';
import { ask, bearer } from '../support.ts';

/* How many bytes of files a wallet may keep, and the whole server. */

const megabyte = 1024 * 1024;
/** Below the limit alone, above it together with another. */
const most = 700_000;
const less = 300_000;

const announce = (url: string, { app }: Customer, size: number) =>
  ask(url, 'POST', '/api/v1/media/uploads', { headers: { ...app, 'Upload-Length': String(size) } });

const giveUp = async (url: string, { app }: Customer, id: unknown) => {
  const reply = await api(url, 'DELETE', `/media/uploads/${String(id)}`, app);
  expect(reply.status).toBe(204);
};

/** What is noted as used, and what the files themselves add up to. */
async function usageOf(server: Pick<ServerProcess, 'dataDir'>, holder: string) {
  const [row] = await queryDatabase(
    server,
    `SELECT (SELECT bytes::float8 FROM file_usage WHERE holder = $1) AS noted,
      (SELECT coalesce(sum(counted_bytes), 0)::float8 FROM files WHERE $1 IN (wallet, 'installation')) AS counted`,
    [holder],
  );
  expect(row?.noted ?? 0).toBe(row?.counted);
  return Number(row?.counted);
}

/** What the migration counts of the files that are there, and of one of a recording, which has a quota of its own. */
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

  it('counts what an upload announces, refuses more, and has it back when an upload is given up', async () => {
    const alice = await newCustomer(url);
    const first = await announce(url, alice, most);
    expect(first.status).toBe(201);
    const refused = await announce(url, alice, less + 100_000);
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({
        error: 'conflict',
        message: expect.stringMatching(/limit of 1 MB. Delete/) as string,
      }),
    ]);
    const whole = await post(url, alice.app, Buffer.alloc(less + 100_000));
    expect([whole.status, whole.body.error]).toEqual([409, 'conflict']);
    // To the last byte.
    const rest = await announce(url, alice, megabyte - most);
    expect(rest.status).toBe(201);
    expect((await announce(url, alice, 1)).status).toBe(409);
    // Another wallet has its own.
    expect((await announce(url, await newCustomer(url), most)).status).toBe(201);
    await giveUp(url, alice, first.body.id);
    await until(async () => (await announce(url, alice, most)).status === 201, 'its bytes are free again');
    expect(await usageOf(harness.server, alice.wallet)).toBe(megabyte);
  });

  it('is never exceeded by ten uploads at once', async () => {
    const alice = await newCustomer(url);
    const replies = await Promise.all(Array.from({ length: 10 }, () => announce(url, alice, less)));
    expect(replies.map(({ status }) => status).sort()).toEqual([
      201,
      201,
      201,
      ...Array<number>(7).fill(409),
    ]);
    expect(await usageOf(harness.server, alice.wallet)).toBe(3 * less);
    await Promise.all(
      replies.filter(({ status }) => status === 201).map(({ body }) => giveUp(url, alice, body.id)),
    );
    await until(async () => (await usageOf(harness.server, alice.wallet)) === 0, 'all is free again');
  });

  it('counts files as they are stored: one that has become too large is finished when there is room', async () => {
    const alice = await newCustomer(url);
    const small = await picture({ width: 400, height: 400 }, 'gif');
    const file = await posted(url, alice.app, small);
    // With its thumbnail it takes more than was announced.
    const stored = await usageOf(harness.server, alice.wallet);
    expect(stored).toBeGreaterThan(small.length);
    expect(stored).toBeGreaterThan(file.size);
    await giveUp(url, alice, file.id);
    await until(async () => (await usageOf(harness.server, alice.wallet)) === 0, 'it is gone');

    const filler = await announce(url, alice, megabyte - small.length);
    expect(filler.status).toBe(201);
    const { id } = await begin(url, alice.app, small.length);
    const refused = await patch(url, alice.app, id, 0, small);
    expect([refused.status, refused.body.error]).toEqual([409, 'conflict']);
    expect(await usageOf(harness.server, alice.wallet)).toBe(megabyte);
    await giveUp(url, alice, filler.body.id);
    const state = () => api(url, 'GET', `/media/uploads/${id}`, alice.app);
    await until(async () => (await state()).status === 200, 'it is finished');
    expect((await state()).body.media).toMatchObject({ mimeType: 'image/gif' });
  });

  it('counts a voicemail as Opus for its sender, until its recipient deletes it', async () => {
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

  it('has the bytes of a message back that is deleted for everyone, and the SDK says why it refuses', async () => {
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
    // Nothing was left behind by what was refused.
    const headers = bearer(alice.parley.session?.token ?? '');
    expect((await post(url, headers, file)).status).toBe(409);
  });
});

it('the quota of the whole server holds for all wallets together', async () => {
  const server = await ServerProcess.start({ ...roomySettings, FILES_MEGABYTES: '1' });
  try {
    const { url } = server;
    const [alice, bob] = [await newCustomer(url), await newCustomer(url)];
    const first = await announce(url, alice, most);
    expect(first.status).toBe(201);
    const refused = await announce(url, bob, most);
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({ error: 'conflict', message: expect.stringMatching(/server/) as string }),
    ]);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => announce(url, index % 2 ? alice : bob, 200_000)),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await usageOf(server, 'installation')).toBe(most + 200_000);
    expect(await migratedUsage(server)).toEqual(
      await queryDatabase(server, 'SELECT holder, bytes FROM file_usage WHERE bytes > 0 ORDER BY holder'),
    );
    await giveUp(url, alice, first.body.id);
    await until(async () => (await announce(url, bob, most)).status === 201, 'there is room again');
  } finally {
    await server.dispose();
  }
});
