import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { onlyKey } from '../../../platform/keys.ts';
import { unseal } from '../../../platform/seal.ts';
import { Secrets } from '../../../platform/secrets.ts';
import { ArchiveWriter } from '../../../server/backup/ArchiveWriter.ts';
import { createBackup } from '../../../server/backup/createBackup.ts';
import type { Head } from '../../../server/backup/manifest.ts';
import { reachDatabase } from '../../../server/commands/openForCommand.ts';
import { readConfig } from '../../../server/config/config.ts';
import { sealedColumns } from '../../../server/installation/sealedColumns.ts';
import { blocksFor } from '../../docs/blocks.ts';
import { TestClient } from '../../harness/clients/TestClient.ts';
import { killProcess } from '../../harness/nodes/killProcess.ts';
import { ServerProcess, type Settings } from '../../harness/nodes/ServerProcess.ts';
import { runCommand, startCommand } from '../../harness/run/runCommand.ts';
import { S3Server } from '../../harness/services/S3Server.ts';
import { until } from '../../harness/until.ts';
import { download, picture } from '../files/mediaSupport.ts';
import { api, newKey, queryDatabase, roomySettings, wrongBalances } from '../money/accountSupport.ts';
import { bearer, newWallet, refresh, signIn } from '../support.ts';

/* Backup, restore and the rotation of SECRET_KEY: the commands of docs/guides/backup.md, with one server. */

const examples = blocksFor('docs/guides/backup.md', 'backup.test.ts');
const [backUp = '', check = '', restore = '', rotate = ''] = examples;

let server: ServerProcess;
let workDir: string;
let archive: string;
let kept: Awaited<ReturnType<typeof leaveTraces>>;
beforeAll(async () => {
  workDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await mkdir(join(workDir, 'backups'));
  // The user of PostgreSQL must reach the folders that are restored below it.
  await runCommand('/bin/chmod', ['755', workDir], {});
  server = await ServerProcess.start(roomySettings);
  kept = await leaveTraces(server.url);
});
afterAll(async () => {
  await server?.dispose();
  await rm(workDir, { recursive: true, force: true });
});

/** Runs a code block of the guide. */
const shell = (script: string, settings: Settings) => runCommand('/bin/bash', ['-euc', script], settings);
const run = (name: string, args: string[], settings: Settings = {}) =>
  runCommand(name, args, { DATA_DIR: server.dataDir, ...settings });

/** Uses everything that depends on the database, the files or the key. */
async function leaveTraces(url: string) {
  const [wallet, bob] = [newWallet(), newWallet()];
  const session = await signIn(url, wallet, { audience: 'dashboard' });
  const headers = bearer(session.token);
  const customer = { wallet: wallet.address, dashboard: headers, app: headers };
  const { secret } = await newKey(url, customer);
  const order = { packageId: 'eu-1gb', quantity: 1 };
  const bought = await api(url, 'POST', '/esim/checkout', { ...headers, 'Idempotency-Key': 'one' }, order);
  expect([bought.status, bought.body.esims]).toEqual([201, [expect.anything()]]);
  const alice = await TestClient.signIn(url, wallet);
  const file = await picture({ width: 300, height: 200 });
  await alice.parley.messages.send({ to: bob.address, content: 'Keep this', type: 'text' });
  await alice.parley.messages.send({ to: bob.address, content: '', type: 'image', media: { file } });
  const { id, streamKey } = await alice.parley.streaming.create({ title: 'Kept', isPublic: true });
  const hook = await api(url, 'POST', '/webhooks/endpoints', headers, {
    url: 'https://hooks.example.org/kept',
  });
  expect(hook.status).toBe(201);
  await queryDatabase(
    server,
    `INSERT INTO recordings (id, kind, room_id, host, title, status, started_at, ended_at, size_bytes)
     VALUES ('rec_kept', 'conference', 'room_kept', $1, 'Kept', 'ready', now(), now(), 1000)`,
    [wallet.address],
  );
  alice.close();
  return {
    wallet,
    bob,
    session,
    headers,
    secret,
    order,
    esims: bought.body.esims,
    stream: { id, streamKey },
  };
}

/** Checks that a server has all of it, without anybody signing in again. Works once per refresh token. */
async function expectTraces(url: string) {
  const { wallet, bob, headers, secret, order, esims, stream } = kept;
  const credits = await api(url, 'GET', '/account/credits', headers);
  expect([credits.status, await wrongBalances(server)]).toEqual([200, []]);
  expect((await api(url, 'GET', '/account', bearer(secret))).body.walletAddress).toBe(wallet.address);
  const again = await api(url, 'POST', '/esim/checkout', { ...headers, 'Idempotency-Key': 'one' }, order);
  expect(again.body.esims).toEqual(esims);
  const { data } = (await api(url, 'GET', '/esim/orders', headers)).body as { data: { esims: object[] }[] };
  const codeOf = (list: unknown) => (list as { activationCode: string }[])[0]?.activationCode;
  expect(codeOf(data[0]?.esims)).toBe(codeOf(esims));
  const renewed = await refresh(url, kept.session.refreshToken);
  expect(renewed.status).toBe(200);
  kept.session = renewed.body as unknown as typeof kept.session;
  kept.headers = bearer(kept.session.token);
  const client = await TestClient.signIn(url, wallet);
  const messages = await client.parley.messages.getMessages({ with: bob.address });
  expect(messages.map(({ content }) => content)).toContain('Keep this');
  const image = await download(messages.find(({ type }) => type === 'image')?.media?.url ?? '');
  expect([image.status, image.bytes.length > 0]).toEqual([200, true]);
  expect((await client.parley.streaming.get(stream.id)).streamKey).toBe(stream.streamKey);
  client.close();
  // A trigger keeps it: it neither counts what is restored a second time, nor misses what changes afterwards.
  await queryDatabase(server, `UPDATE recordings SET size_bytes = size_bytes + 1 WHERE id = 'rec_kept'`);
  const [usage] = await queryDatabase(
    server,
    'SELECT u.bytes AS counted, r.size_bytes AS kept FROM recording_usage u JOIN recordings r USING (host)',
  );
  expect(usage?.['counted']).toBe(usage?.['kept']);
  expect(Number(usage?.['kept'])).toBeGreaterThan(1_000);
}

describe('a backup', () => {
  it('is made while the server runs and files come and go, without the key', async () => {
    const [alice, bob] = [await TestClient.signIn(server.url), newWallet()];
    let [writing, count] = [true, 0];
    const churn = (async () => {
      while (writing) {
        const file = await picture({ width: 64 + (count % 8), height: 64 });
        const sent = await alice.parley.messages.send({
          to: bob.address,
          content: '',
          type: 'image',
          media: { file },
        });
        if (count++ % 2 === 0) await alice.parley.messages.delete(sent.id, { forEveryone: true });
      }
    })();
    await until(() => count > 4, 'some files');
    const BACKUPS = join(workDir, 'backups');
    const made = await shell(backUp, { BACKUPS, DATA_DIR: server.dataDir });
    writing = false;
    await churn;
    alice.close();
    expect(made, made.output).toMatchObject({ code: 0 });
    const [name = '', key] = (await readdir(BACKUPS)).sort();
    archive = join(BACKUPS, name);
    expect(key).toBe(`${name}.key`);
    expect(readFileSync(`${archive}.key`, 'utf8')).toBe(
      readFileSync(join(server.dataDir, 'secret.key'), 'utf8'),
    );
    expect([(await stat(archive)).mode & 0o777, (await stat(`${archive}.key`)).mode & 0o777]).toEqual([
      0o600, 0o600,
    ]);
  });

  it('is verified: counts, balances, files and key', async () => {
    const verified = await shell(check, { BACKUP: archive, DATA_DIR: server.dataDir });
    expect(verified, verified.output).toMatchObject({ code: 0 });
    for (const what of ['tables with', 'balances of', 'files that the database needs', 'the key belongs'])
      expect(verified.output).toMatch(new RegExp(`ok +.*${what}`));
    expect(verified.output).not.toContain('WRONG');
  });

  it('leaves no archive when it is killed', async () => {
    const target = join(workDir, 'killed.tar.gz');
    const killed = startCommand('backup', [target], { DATA_DIR: server.dataDir });
    await until(() => existsSync(`${target}.part`), 'the draft');
    killProcess(killed.child.pid);
    await killed.ended;
    expect(existsSync(target)).toBe(false);
    expect((await run('backup', [target])).code).toBe(0);
    expect((await run('backup', [target])).output).toContain('exists. Name');
  });

  it('leaves nothing when it is interrupted, and neither does its verification', async () => {
    const target = join(workDir, 'interrupted.tar.gz');
    for (const signal of ['SIGINT', 'SIGHUP'] as const) {
      const backup = startCommand('backup', [target], { DATA_DIR: server.dataDir });
      await until(() => existsSync(`${target}.part`), 'the draft');
      backup.child.kill(signal);
      await backup.ended;
      expect(existsSync(`${target}.part`)).toBe(false);
    }
    const TMPDIR = join(workDir, 'temporary');
    await mkdir(TMPDIR);
    const verification = startCommand('restore', ['--verify', archive], { TMPDIR });
    const restored = async () => {
      // PostgreSQL removes folders while they are listed.
      const names = await readdir(TMPDIR, { recursive: true }).catch(() => []);
      return names.some((name) => name.endsWith('.s.PGSQL.5432'));
    };
    await until(restored, 'the restore into a temporary folder');
    verification.child.kill('SIGTERM');
    expect(await verification.ended).toMatchObject({ code: 128 + constants.signals.SIGTERM });
    expect(await readdir(TMPDIR)).toEqual([]);
  });

  it('is not named like the folder for it that is missing', async () => {
    const missing = join(workDir, 'missing');
    const made = await run('backup', [missing]);
    expect([made.code, made.output]).toEqual([1, expect.stringContaining(`There is no folder ${missing}`)]);
    expect(existsSync(missing)).toBe(false);
    const within = await run('backup', [join(missing, 'a.tar.gz')]);
    expect(within).toEqual({ code: 1, output: `There is no folder ${missing}. Create it first.\n` });
  });

  it('says why it cannot be written', async () => {
    const target = join(workDir, 'unwritable.tar.gz');
    await symlink(join(workDir, 'missing', 'elsewhere'), `${target}.part`);
    const output = `ENOENT: no such file or directory, open '${target}.part'\n`;
    expect(await run('backup', [target])).toEqual({ code: 1, output });
    // Neither can its key. An archive without it would look like a good one.
    const keyless = join(workDir, 'keyless.tar.gz');
    await symlink(join(workDir, 'missing', 'elsewhere'), `${keyless}.key`);
    const made = await run('backup', [keyless]);
    expect([made.code, made.output]).toEqual([1, expect.stringContaining(`open '${keyless}.key'`)]);
    expect(existsSync(keyless)).toBe(false);
  });

  it('reports a file that was missing', async () => {
    const [row] = await queryDatabase(
      server,
      'SELECT object_key AS key FROM files WHERE object_key IS NOT NULL LIMIT 1',
    );
    const path = join(server.dataDir, 'files', String(row?.key));
    await rename(path, `${path}.aside`);
    const target = join(workDir, 'lacking.tar.gz');
    const made = await run('backup', [target]);
    await rename(`${path}.aside`, path);
    expect(made.output).toContain(`missing in the storage, for example ${String(row?.key)}`);
    expect(made.code).toBe(1);
    const verified = await run('restore', ['--verify', target]);
    expect([verified.code, verified.output]).toEqual([
      1,
      expect.stringContaining(`${String(row?.key)} is missing`),
    ]);
  });

  it('leaves out files that are not of the server, which a restore would refuse', async () => {
    const [found, copy] = ['lost+found', 'old copy.zip'].map((name) =>
      join(server.dataDir, 'files', name),
    ) as [string, string];
    await mkdir(found);
    for (const path of [join(found, '#131'), copy]) await writeFile(path, 'of somebody else');
    const target = join(workDir, 'tidy.tar.gz');
    const made = await run('backup', [target]);
    for (const path of [found, copy]) await rm(path, { recursive: true });
    expect(made, made.output).toMatchObject({ code: 0 });
    const verified = await run('restore', ['--verify', target]);
    expect(verified, verified.output).toMatchObject({ code: 0 });
  });
});

describe('a restore refuses', () => {
  const bytes = () => readFileSync(archive);
  const target = () => join(workDir, 'refused');
  const refused = async (path: string, settings: Settings = {}, args = ['--key', `${archive}.key`]) => {
    const { code, output } = await run('restore', [path, ...args], { DATA_DIR: target(), ...settings });
    expect(code).toBe(1);
    // Nothing is left that a server would start on.
    if (settings.DATA_DIR === undefined) expect(await readdir(target()).catch(() => [])).toEqual([]);
    return output;
  };
  const altered = async (change: (bytes: Buffer) => Buffer) => {
    const path = join(workDir, 'altered.tar.gz');
    await writeFile(path, change(bytes()));
    return path;
  };
  const newer = async (change: Partial<Head>) => {
    const path = join(workDir, `${randomBytes(4).toString('hex')}.tar.gz`);
    const head: Head = {
      format: 1,
      release: '9.0.0',
      createdAt: new Date().toISOString(),
      migrations: [],
      keyFingerprint: null,
      storage: 'folder',
      ...change,
    };
    const writer = new ArchiveWriter(path);
    await writer.addHead(head);
    const files = { count: 0, bytes: 0 };
    await writer.finish({ head, tables: [], sequences: [], files, objects: 0, missing: [] });
    return path;
  };

  it('a truncated archive, one with a flipped byte, and other files', async () => {
    const half = await altered((all) => all.subarray(0, all.length / 2));
    expect(await refused(half)).toContain('damaged or incomplete');
    const flipped = await altered((all) => {
      all.writeUInt8(all.readUInt8(all.length >> 1) ^ 1, all.length >> 1);
      return all;
    });
    expect(await refused(flipped)).toContain('damaged or incomplete');
    expect(await refused(await altered(() => randomBytes(2_000)))).toContain('damaged or incomplete');
    expect(await refused(join(workDir, 'none.tar.gz'))).toContain('There is no file');
  });

  it('a newer format, a newer release, and a wrong or missing key', async () => {
    expect(await refused(await newer({ format: 2 }))).toContain('has format 2');
    const migrations = [{ hash: 'unknown', createdAt: Date.now() }];
    expect(await refused(await newer({ migrations }))).toContain(
      'written by a newer release of Parley (9.0.0)',
    );
    const other = { SECRET_KEY: '9f86d081884c7d659a2feaa0c55ad015' };
    expect(await refused(archive, other, [])).toContain('does not belong to the backup');
    expect(await refused(archive, {}, [])).toContain('The key is missing');
    for (const [path, why] of [
      [archive, 'it is no key'],
      [workDir, 'EISDIR'],
    ] as const)
      expect(await refused(archive, {}, ['--key', path])).toBe(
        `The key cannot be read from ${path} (${why}). Give the file that the backup wrote: --key <archive>.key.\n`,
      );
  });

  it('a folder in use and one that is not empty', async () => {
    expect(await refused(archive, { DATA_DIR: server.dataDir })).toContain('Another Parley');
    expect(await refused(archive, { DATA_DIR: join(workDir, 'backups') })).toContain('is not empty');
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  it('no retry after a kill -9, but no server starts before it', async () => {
    const interrupted = { DATA_DIR: join(workDir, 'interrupted') };
    const marker = join(interrupted.DATA_DIR, 'restore.incomplete');
    const killed = startCommand('restore', [archive, '--key', `${archive}.key`], interrupted);
    await until(() => existsSync(marker), 'the restore');
    killProcess(killed.child.pid);
    await killed.ended;
    const started = await runCommand('main', [], { ...interrupted, PORT: String(server.ports.port) });
    expect([started.code, started.output]).toEqual([
      1,
      expect.stringContaining('running or was interrupted'),
    ]);
    expect(await refused(archive, interrupted)).toContain('holds an interrupted restore');
  });
});

describe('a restored server', () => {
  it('has all data, sessions and keys of the one that was backed up', async () => {
    await server.stop();
    const DATA_DIR = join(workDir, 'data');
    const restored = await shell(restore, { BACKUP: archive, DATA_DIR });
    expect(restored, restored.output).toMatchObject({ code: 0 });
    const { dataDir } = server;
    Object.assign(server, { dataDir: DATA_DIR });
    await rm(dataDir, { recursive: true, force: true });
    await server.start({ DATA_DIR });
    await expectTraces(server.url);
  });

  it('is backed up while it is stopped', async () => {
    await server.stop();
    const target = join(workDir, 'stopped.tar.gz');
    const made = await run('backup', [target]);
    expect(made, made.output).toMatchObject({ code: 0 });
    const s3 = await S3Server.start();
    onTestFinished(() => s3.close());
    const refused = await run('backup', [join(workDir, 'refused.tar.gz')], {
      ...s3.settings,
      S3_BUCKET: 'none',
    });
    expect([refused.code, refused.output]).toEqual([
      1,
      expect.stringContaining('The bucket none cannot be opened'),
    ]);
    await server.start();
  });

  it('refuses a database that was written with another key, without a stack trace', async () => {
    await server.stop();
    const starting = server.start({ SECRET_KEY: '9f86d081884c7d659a2feaa0c55ad015' });
    await expect(starting).rejects.toThrow('SECRET_KEY: this database was written with another key');
    expect(server.log).not.toMatch(/^ +at /m);
    await server.start({ SECRET_KEY: '' });
  });
});

it.each([
  ['backup', () => [join(workDir, 'unreachable.tar.gz')]],
  ['restore', () => [join(workDir, 'any.tar.gz'), '--key', join(server.dataDir, 'secret.key')]],
  ['rotateKey', () => []],
  ['grant', () => ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', '5']],
])('%s says which database it cannot reach', async (name, args) => {
  const DATABASE_URL = 'postgres://parley:secret@127.0.0.1:1/parley';
  expect(await run(name, args(), { DATABASE_URL })).toEqual({
    code: 1,
    output: 'Cannot connect to PostgreSQL at 127.0.0.1:1 (DATABASE_URL): connect ECONNREFUSED 127.0.0.1:1\n',
  });
});

it('a restore says which right its role lacks', async () => {
  for (const text of ['CREATE ROLE limited LOGIN', 'CREATE DATABASE limited'])
    await queryDatabase(server, text);
  const host = encodeURIComponent(join(server.dataDir, 'postgres'));
  const refused = await run('restore', [archive, '--key', `${archive}.key`], {
    DATA_DIR: join(workDir, 'limited'),
    DATABASE_URL: `postgresql:///limited?host=${host}&user=limited&ssl=0`,
  });
  expect(refused.code).toBe(1);
  expect(refused.output).toMatch(/\nPostgreSQL: permission denied for database limited\n$/);
});

describe('a rotation of the key', () => {
  const fingerprint = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

  it('is refused while a running server does not accept the new key', async () => {
    const before = fingerprint(join(server.dataDir, 'secret.key'));
    const refused = await run('rotateKey', []);
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('do not accept the new key')]);
    // The key is in a file, so there is no setting to change.
    expect(refused.output).toContain('Restart the server, which reads the new secret.key.');
    expect(refused.output).not.toContain('SECRET_KEY');
    expect(fingerprint(join(server.dataDir, 'secret.key.previous'))).toBe(before);
    const target = join(workDir, 'refused.tar.gz');
    const made = await run('backup', [target]);
    expect(made, made.output).toMatchObject({ code: 0 });
    // The key beside the archive is the one that the database uses.
    const verified = await run('restore', ['--verify', target, '--key', `${target}.key`]);
    expect(verified, verified.output).toMatchObject({ code: 0 });
    await server.stop();
    await server.start();
    // The key before is in use until the command succeeds.
    await expectTraces(server.url);
  });

  it('lets a backup name the setting with the key in use, and refuses one without that key', async () => {
    const [SECRET_KEY, SECRET_KEY_PREVIOUS] = ['secret.key', 'secret.key.previous'].map((name) =>
      readFileSync(join(server.dataDir, name), 'utf8'),
    ) as [string, string];
    const before = await run('backup', [join(workDir, 'before.tar.gz')], { SECRET_KEY, SECRET_KEY_PREVIOUS });
    expect([before.code, before.output]).toEqual([
      0,
      expect.stringContaining('It is your SECRET_KEY_PREVIOUS'),
    ]);
    const foreign = await run('backup', [join(workDir, 'foreign.tar.gz')], { SECRET_KEY });
    expect([foreign.code, foreign.output]).toEqual([1, expect.stringContaining('uses another key')]);
  });

  it('continues after a kill -9, while the server runs', async () => {
    const killed = startCommand('rotateKey', [], { DATA_DIR: server.dataDir });
    await until(() => killed.output().includes('The new key is in use'), 'the new key');
    killProcess(killed.child.pid);
    await killed.ended;
    await expectTraces(server.url);
    expect((await run('backup', [join(workDir, 'between.tar.gz')])).output).toContain(
      'rotation of SECRET_KEY is under way',
    );
    const done = await shell(rotate, { DATA_DIR: server.dataDir });
    expect(done, done.output).toMatchObject({ code: 0 });
    expect(done.output).toMatch(/[1-9]\d* values were sealed with the new key/);
    expect((await run('rotateKey', [])).output).toContain('uses the new key already');
    await expectTraces(server.url);
  });

  it('loses nothing when the key before is gone, and leaves nothing that it opens', async () => {
    const previous = join(server.dataDir, 'secret.key.previous');
    const former = new Secrets(readFileSync(previous, 'utf8'));
    const next = new Secrets(readFileSync(join(server.dataDir, 'secret.key'), 'utf8'));
    let opened = 0;
    for (const { table, column, purpose, key, place } of sealedColumns) {
      const rows = await queryDatabase(
        server,
        `SELECT ARRAY[${key.join()}]::text[] AS key, ${column} AS value FROM ${table} WHERE ${column} IS NOT NULL`,
      );
      for (const row of rows) {
        const open = (secrets: Secrets) =>
          unseal(row.value as Buffer, onlyKey(secrets.derive(purpose)), place(...(row.key as string[])));
        expect(open(next)).not.toBe('');
        expect(() => open(former)).toThrow();
        opened++;
      }
    }
    expect(opened).toBeGreaterThanOrEqual(4);
    await server.stop();
    await rm(previous);
    await server.start();
    const stale = await api(
      server.url,
      'GET',
      '/account',
      bearer(former.derive('session tokens').toString('hex')),
    );
    expect(stale.status).toBe(401);
    await expectTraces(server.url);
  });

  it('is noticed by a backup that has begun with the key before', async () => {
    await server.stop();
    const { dataDir } = server;
    const database = await reachDatabase(readConfig({ DATA_DIR: dataDir }));
    const keys = ['secret.key', 'secret.key.previous']
      .filter((name) => existsSync(join(dataDir, name)))
      .map((name) => ({ name, secret: readFileSync(join(dataDir, name), 'utf8') }));
    let rotated = '';
    const rotateOnce = () => {
      rotated ||= execFileSync(process.execPath, ['server/dist/rotateKey.js'], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'test', DATA_DIR: dataDir },
      });
    };
    const making = createBackup({
      url: database.url,
      target: join(workDir, 'crossed.tar.gz'),
      storage: { kind: 'folder', root: join(dataDir, 'files') },
      recordingsDir: join(dataDir, 'recordings'),
      keys,
      release: '9.0.0',
      onProgress: rotateOnce,
    });
    await expect(making).rejects.toThrow('The key was changed during the backup. Start the backup again.');
    await database.close();
    expect(rotated).toContain('were sealed with the new key');
    await server.start();
    await expectTraces(server.url);
  });

  it('has a column of the database for each sealed value', async () => {
    const rows = await queryDatabase(
      server,
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND data_type = 'bytea' ORDER BY 1`,
    );
    // These are hashes, and the secret that the rotation seals itself.
    const others = [
      'installation.lasting_secret',
      'leak_entries.hash',
      'leak_passwords.sha1',
      'verifications.code_hash',
    ];
    const known = [...others, ...sealedColumns.map(({ table, column }) => `${table}.${column}`)].sort();
    expect(rows.map(({ name }) => name)).toEqual(known);
  });
});

it('accepts another key once the operator deletes the old one, and drops the data that the old one encrypted', async () => {
  expect(await queryDatabase(server, 'DELETE FROM installation')).toEqual([]);
  await server.stop();
  await server.start({ SECRET_KEY: '9f86d081884c7d659a2feaa0c55ad015' });
  const headers = bearer((await signIn(server.url, kept.wallet, { audience: 'dashboard' })).token);
  const orders = await api(server.url, 'GET', '/esim/orders', headers);
  expect([orders.status, orders.body.data]).toMatchObject([200, [{ status: 'completed', esims: [] }]]);
  // The log line may arrive after the response.
  await expect.poll(() => server.log).toContain('eSIM profile is unreadable');
});
