import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WireMediaInfo } from '../../../sdk/protocol/files.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { newCustomer, newKey, roomySettings, type Customer } from '../money/accountSupport.ts';
import { download, picture, posted } from './mediaSupport.ts';
import { ask, bearer } from '../support.ts';

/* Downloads: signed addresses, access without one, and byte ranges. */

let server: ServerProcess;
let alice: Customer;
let bob: Customer;
let info: WireMediaInfo;
let stored: Buffer;

beforeAll(async () => {
  server = await ServerProcess.start({ ...roomySettings, FILE_ADDRESS_SECONDS: '6' });
  [alice, bob] = [await newCustomer(server.url), await newCustomer(server.url)];
  info = await posted(server.url, alice.app, await picture({ width: 200, height: 200 }), '?name=%C3%A9.png');
  stored = (await download(info.url)).bytes;
});
afterAll(() => server?.dispose());

/** Each answer has a new address. An address from an earlier test may have expired. */
async function freshAddress(): Promise<string> {
  const { body } = await ask(server.url, 'GET', `/api/v1/media/uploads/${info.id}`, { headers: alice.app });
  return (body.media as WireMediaInfo).url;
}

describe('a signed address', () => {
  it('serves the file with its name, without active content and without shared caching', async () => {
    const address = await freshAddress();
    const secondsLeft = () =>
      Math.floor(Number(new URL(address).searchParams.get('expires')) - Date.now() / 1_000);
    const most = secondsLeft();
    const { status, headers } = await download(address);
    const least = secondsLeft();
    expect([status, Object.fromEntries(headers)]).toEqual([
      200,
      expect.objectContaining({
        'content-type': 'image/png',
        'content-disposition': `inline; filename="_.png"; filename*=UTF-8''%C3%A9.png`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringMatching(/^default-src 'none';.*; sandbox$/) as string,
        'cache-control': expect.stringMatching(/^private, max-age=\d+, immutable$/) as string,
        'accept-ranges': 'bytes',
      }),
    ]);
    const maxAge = Number(headers.get('cache-control')?.match(/\d+/)?.[0]);
    expect(most).toBeLessThanOrEqual(7);
    expect(maxAge).toBeGreaterThanOrEqual(least);
    expect(maxAge).toBeLessThanOrEqual(most);
  });

  it('expires, and rejects any change of its file, expiry or signature', async () => {
    const address = new URL(await freshAddress());
    const other = await posted(server.url, alice.app, await picture({ width: 8, height: 8 }));
    const changed = (change: (url: URL) => void) => {
      const url = new URL(address);
      change(url);
      return download(url.href);
    };
    for (const change of [
      (url: URL) => url.searchParams.set('expires', String(Number(url.searchParams.get('expires')) + 3_600)),
      (url: URL) => url.searchParams.set('signature', 'A'.repeat(43)),
      (url: URL) => url.searchParams.set('signature', 'short'),
      (url: URL) => url.searchParams.set('expires', 'never'),
      (url: URL) => (url.pathname = new URL(other.url).pathname),
    ]) {
      const reply = await changed((url) => void change(url));
      expect([reply.status, JSON.parse(reply.bytes.toString())]).toEqual([
        403,
        expect.objectContaining({ error: 'access_denied' }),
      ]);
    }
    await until(async () => (await download(address.href)).status === 403, 'the address has expired');
    const { bytes } = await download(address.href);
    expect(bytes.toString()).toContain('has expired');
  });
});

describe('without a signed address', () => {
  const path = () => `/api/v1/media/${info.id}`;

  it('serves a file only to the wallet that uploaded it', async () => {
    const own = await ask(server.url, 'GET', path(), { headers: alice.app });
    expect([own.status, own.headers['content-type']]).toEqual([200, 'image/png']);
    for (const [headers, status, error] of [
      [bob.app, 404, 'not_found'],
      [bob.dashboard, 404, 'not_found'],
      [{}, 401, 'missing_credentials'],
      [bearer((await newKey(server.url, alice)).secret), 403, 'session_required'],
    ] as const) {
      const reply = await ask(server.url, 'GET', path(), { headers });
      expect([reply.status, reply.body.error]).toEqual([status, error]);
    }
  });

  it('hides an upload from other wallets, which cannot continue or delete it', async () => {
    const upload = `/api/v1/media/uploads/${info.id}`;
    for (const method of ['GET', 'DELETE'])
      expect((await ask(server.url, method, upload, { headers: bob.app })).status).toBe(404);
    const headers = { ...bob.app, 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' };
    expect((await ask(server.url, 'PATCH', upload, { headers, raw: 'x' })).status).toBe(404);
  });

  it('rejects unknown and malformed ids', async () => {
    const unknown = await ask(server.url, 'GET', `/api/v1/media/med_${'0'.repeat(24)}`, {
      headers: alice.app,
    });
    expect([unknown.status, unknown.body.error]).toEqual([404, 'not_found']);
    expect(
      (await ask(server.url, 'GET', '/api/v1/media/..%2f..%2fsecret.key', { headers: alice.app })).status,
    ).toBe(422);
  });
});

describe('a range request', () => {
  it.each([
    ['bytes=0-99', 0, 99],
    ['bytes=100-', 100, null],
    ['bytes=-50', -50, null],
    ['bytes=0-99999999', 0, null],
  ])('serves %s', async (range, from, to) => {
    const reply = await download(await freshAddress(), { Range: range });
    const end = to ?? stored.length - 1;
    const start = from < 0 ? stored.length + from : from;
    expect([reply.status, reply.headers.get('content-range')]).toEqual([
      206,
      `bytes ${start}-${end}/${stored.length}`,
    ]);
    expect(reply.bytes.equals(stored.subarray(start, end + 1))).toBe(true);
  });

  it('answers 416 beyond the end, and the whole file for malformed and multiple ranges', async () => {
    const beyond = await download(await freshAddress(), { Range: `bytes=${stored.length}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${stored.length}`]);
    for (const range of ['bytes=x-y', 'lines=0-5', 'bytes=0-5,10-20'])
      expect((await download(await freshAddress(), { Range: range })).status).toBe(200);
  });

  it('supports If-Range and If-None-Match', async () => {
    const etag = (await download(await freshAddress())).headers.get('etag') ?? '';
    const range = { Range: 'bytes=0-9' };
    expect((await download(await freshAddress(), { ...range, 'If-Range': etag })).status).toBe(206);
    expect((await download(await freshAddress(), { ...range, 'If-Range': '"other"' })).status).toBe(200);
    const address = new URL(await freshAddress());
    const ifNot = (tags: string) =>
      ask(server.url, 'GET', address.pathname + address.search, { headers: { 'If-None-Match': tags } });
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const same = await ifNot(tags);
      expect([tags, same.status, same.text]).toEqual([tags, 304, '']);
    }
    expect((await ifNot('"other"')).status).toBe(200);
  });

  it('answers HEAD with the size', async () => {
    const { pathname, search } = new URL(await freshAddress());
    const reply = await ask(server.url, 'HEAD', pathname + search);
    expect([reply.status, reply.headers['content-length'], reply.text]).toEqual([
      200,
      String(stored.length),
      '',
    ]);
  });
});
