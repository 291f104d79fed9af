import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { npmComponents } from '../../scripts/sbom.mjs';
import { packServer } from '../../scripts/packServer.mjs';
import { Parley } from '../../sdk/src/index.ts';
import { root } from '../docs/blocks.ts';
import { BotMedia } from '../harness/clients/BotMedia.ts';
import { freePorts } from '../harness/nodes/ports.ts';
import { until } from '../harness/until.ts';

const lockfile = readFileSync(join(root, 'package-lock.json'), 'utf8');
const script = fileURLToPath(new URL('runReadOnly.sh', import.meta.url));

// Without root, no read-only root can be made.
describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('the packed server', () => {
  let folder: string;
  let packed: string;
  let url: string;
  let log = '';
  let stop: () => Promise<void>;
  const bots = new BotMedia();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-packed-'));
    packed = join(folder, 'packed');
    await packServer(packed);
    mkdirSync(join(packed, 'data'));
    execFileSync('chmod', ['755', folder]);
    const port = await freePorts(2);
    url = `http://127.0.0.1:${port}`;
    const child = spawn('sh', [script, packed], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        PUBLIC_URL: url,
        SECRET_KEY: 'f3a1c09e7b5d2468f3a1c09e7b5d2468',
        PORT: String(port),
        MEDIA_PORT: String(port + 1),
        MEDIA_WORKERS: '1',
        MEDIA_ANNOUNCED_ADDRESS: '127.0.0.1',
        RTMP_PORT: '0',
        // As in the Dockerfile.
        DATA_DIR: '/mnt/data',
        PARLEY_CACHE_DIR: '/mnt/cache',
        MEDIASOUP_WORKER_BIN: '/mnt/app/mediasoup-worker',
      },
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => (log += String(data)));
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    stop = async () => {
      child.kill('SIGTERM');
      await ended;
    };
    await until(() => log.includes('"listening"') || child.exitCode !== null, 'the server to start');
  });
  afterAll(async () => {
    bots.close();
    await stop?.();
    rmSync(folder, { recursive: true });
  });

  it('runs as another user on a root that cannot be written to, and carries a call', async () => {
    const ready = await fetch(`${url}/readyz`).catch((error: unknown) =>
      Promise.reject(new Error(log, { cause: error })),
    );
    expect(ready.status).toBe(200);
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
    const healthCheck = /^HEALTHCHECK[^[]*(\[.*?\])$/ms.exec(dockerfile)?.[1]?.replaceAll('\\\n', '') ?? '';
    const [, ...args] = JSON.parse(healthCheck) as string[];
    const { hostname, port } = new URL(url);
    await promisify(execFile)(process.execPath, args, { env: { HOST: hostname, PORT: port } });
    const { getUserMedia } = bots;
    const people = [0, 1].map(
      () => new Parley({ apiKey: '', baseUrl: url, media: { handlerName: 'Chrome111', getUserMedia } }),
    );
    const [alice, bob] = people as [Parley, Parley];
    try {
      for (const person of people) await person.signIn(privateKeyToAccount(generatePrivateKey()));
      const answered = new Promise((resolve, reject) => {
        bob.on('call:incoming', ({ id }) => void bob.calls.answer(id).then(resolve, reject));
      });
      const { id } = await alice.calls.start({ to: bob.session?.walletAddress ?? '', type: 'audio' });
      await answered;
      await until(async () => {
        const { receiving } = await bob.media.stats(id);
        return (receiving as RTCInboundRtpStreamStats[]).some(
          ({ packetsReceived = 0 }) => packetsReceived > 0,
        );
      }, 'audio to arrive');
    } finally {
      for (const person of people) person.close();
    }
    for (const page of ['/', '/sdk/parley.js', '/sdk/embed.js', '/docs/reference/', '/api/v1/openapi.json'])
      expect([page, (await fetch(`${url}${page}`)).status]).toEqual([page, 200]);
  });

  it('contains no sources, no tests and no packages for development', () => {
    const files = execFileSync('find', ['.', '-type', 'f'], {
      cwd: join(packed, 'app'),
      encoding: 'utf8',
    }).split('\n');
    expect(files.filter((file) => /\.tsx?$|\.test\.[cm]?js$/.test(file))).toEqual([]);
    const production = new Set(npmComponents(lockfile).map(({ name }) => name));
    const names = files.map((file) => /.*node_modules\/((@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
    const installed = new Set(names.filter((name) => name !== undefined));
    expect(installed.size).toBeGreaterThan(100);
    expect([...installed].filter((name) => !production.has(name))).toEqual([]);
    const { scripts } = JSON.parse(readFileSync(join(packed, 'app/package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts).toMatchObject({
      start: 'exec node --enable-source-maps --max-semi-space-size=32 server/dist/main.js',
      grant: 'exec node --enable-source-maps server/dist/grant.js',
    });
  });
});

it('needs no package that exists for x86-64 only', () => {
  const names = new Set(npmComponents(lockfile).map(({ name }) => name));
  const forLinux = [...names].filter((name) => /linux-?x64(?!-musl)|linux(musl)?-x64/.test(name));
  expect(forLinux.length).toBeGreaterThan(2);
  expect(forLinux.filter((name) => !names.has(name.replace('x64', 'arm64')))).toEqual([]);
});

it('lists the packages of all workspaces with their licenses and hashes', () => {
  const components = npmComponents(lockfile);
  const react = components.find(({ name }) => name === 'react');
  expect(react).toMatchObject({
    purl: `pkg:npm/react@${react?.version}`,
    licenses: [{ expression: 'MIT' }],
    hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) as string }],
  });
  expect(components.filter(({ name }) => ['vitest', 'eslint', 'playwright-core'].includes(name))).toEqual([]);
});
