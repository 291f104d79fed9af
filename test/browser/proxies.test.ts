import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import selfsigned from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksFor } from '../docs/blocks.ts';
import { launchChromium, openClient } from '../harness/browser/browser.ts';
import { publishIn, restartIceIn, statsIn, watchIn } from '../harness/browser/rtcPages.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { ReverseProxy, proxies } from '../harness/services/ReverseProxy.ts';
import { until } from '../harness/until.ts';

/* The server behind the proxies of docs/guides/proxy.md, with the configurations of that page. */

const configurations = blocksFor('docs/guides/proxy.md', 'proxies.test.ts');
const signIns = 40;
const largeBytes = 20 * 1024 * 1024;
let folder: string;
let server: ServerProcess;
let browser: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-proxies-'));
  const names = [{ type: 2 as const, value: 'localhost' }];
  const { cert, private: key } = await selfsigned.generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: names }],
  });
  await writeFile(join(folder, 'fullchain.pem'), cert);
  await writeFile(join(folder, 'privkey.pem'), key);
  await writeFile(join(folder, 'large.bin'), Buffer.alloc(largeBytes, 7));
  await writeFile(join(folder, 'combined.pem'), `${cert}\n${key}`);
  [server, browser] = await Promise.all([
    ServerProcess.start({ TRUST_PROXY: '1', RATE_LIMIT_AUTH: String(signIns) }),
    launchChromium({ args: ['--ignore-certificate-errors'] }),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await server?.dispose();
  await rm(folder, { recursive: true, force: true });
});

const withHeaders = (headers: Record<string, string>) =>
  Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);

describe.each(proxies)('behind %s', (name) => {
  let proxy: ReverseProxy;

  beforeAll(async () => {
    const configuration = configurations[proxies.indexOf(name)] ?? '';
    const upstreamPort = server.ports.port;
    proxy = await ReverseProxy.start(name, configuration, { certificate: folder, upstreamPort });
  });
  afterAll(() => proxy?.close());

  const curl = async (...args: string[]) =>
    (await promisify(execFile)('curl', ['-sk', '--max-time', '60', '-o', '/dev/null', ...args])).stdout;
  const status = ['-w', '%{http_code} '];

  it('a page signs in, sends a large file, publishes by WHIP and plays by WHEP', async () => {
    const [ada, ben] = [await openClient(browser, proxy.url), await openClient(browser, proxy.url)];
    const arrived = ben.page.evaluate(
      () =>
        new Promise<string>((resolve) => window.parley.on('message:received', ({ type }) => resolve(type))),
    );
    await ada.page.evaluate(
      ([to, bytes]) => {
        const file = new Blob([new Uint8Array(bytes).fill(7)]);
        return window.parley.messages.sendFile({ to, file, name: 'large.bin' });
      },
      [ben.address, largeBytes] as const,
    );
    expect(await arrived).toBe('file');

    const stream = await ada.page.evaluate(() => window.parley.streaming.create({ title: 'Live' }));
    const at = (url: string) => proxy.url + new URL(url).pathname;
    const published = await publishIn(ada.page, { url: at(stream.whipUrl), credential: stream.streamKey });
    expect(published.status).toBe(201);
    const session = new URL(published.headers.location ?? '', proxy.url).href;
    expect((await restartIceIn(ada.page, session, 'publisher')).status).toBe(200);
    expect((await watchIn(ben.page, { url: at(stream.whepUrl) })).status).toBe(201);
    await until(async () => (await statsIn(ben.page, 'player')).framesDecoded > 5, 'the player gets video');
    expect(await curl(...status, '-X', 'DELETE', session)).toBe('200 ');
    await Promise.all([ada.context.close(), ben.context.close()]);
  });

  it('a tus client sends a large file as a whole', async () => {
    const { page, context } = await openClient(browser, proxy.url);
    const token = await page.evaluate(() => window.parley.session?.token);
    const tus = { Authorization: `Bearer ${token}`, 'Tus-Resumable': '1.0.0' };
    const begin = { ...tus, 'Upload-Length': String(largeBytes), 'Upload-Metadata': 'as ZmlsZQ==' };
    const uploads = `${proxy.url}/api/v1/media/uploads`;
    const location = await curl('-X', 'POST', '-w', '%header{location}', ...withHeaders(begin), uploads);
    const whole = { ...tus, 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' };
    const file = ['--data-binary', `@${join(folder, 'large.bin')}`];
    const upload = proxy.url + new URL(location, proxy.url).pathname;
    expect(await curl(...status, '-X', 'PATCH', ...withHeaders(whole), ...file, upload)).toBe('204 ');
    await context.close();
  });

  it('limits count each address, whatever the client writes into X-Forwarded-For', async () => {
    /** Begins to sign in once more than allowed. */
    const signIn = async (from: string) => {
      const forged = withHeaders({ 'X-Forwarded-For': '203.0.113.7, 198.51.100.3' });
      const url = `${proxy.url}/api/v1/auth/nonce?attempt=[1-${signIns + 1}]`;
      return new Set((await curl(...status, '--interface', from, ...forged, url)).trim().split(' '));
    };
    const [one, other] = [`127.0.1.${proxies.indexOf(name) + 1}`, `127.0.2.${proxies.indexOf(name) + 1}`];
    expect([...(await signIn(one))].at(-1)).toBe('429');
    expect([...(await signIn(other))][0]).not.toBe('429');
  });
});
