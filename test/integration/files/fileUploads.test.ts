import { once } from 'node:events';
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Upload, type DetailedError } from 'tus-js-client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { inFront, NetworkProxy } from '../../harness/nodes/NetworkProxy.ts';
import { TestClient } from '../../harness/clients/TestClient.ts';
import { until } from '../../harness/until.ts';
import { newCustomer, queryDatabase, roomySettings, type Customer } from '../money/accountSupport.ts';
import {
  begin,
  download,
  patch,
  picture,
  post,
  recording,
  storedFiles,
  testCard,
  uploadState,
} from './mediaSupport.ts';
import { ask } from '../support.ts';

/* Uploads that are interrupted, resumed and cancelled. */

const megabyte = 1024 * 1024;
let server: ServerProcess;
let proxy: NetworkProxy;
let alice: Customer;
/** About 4 MB. */
let large: Buffer;

beforeAll(async () => {
  server = await ServerProcess.start(({ port }) => ({
    ...roomySettings,
    ALLOWED_ORIGINS: `http://${inFront}:${port}`,
  }));
  proxy = await NetworkProxy.create([server.ports.port], []);
  alice = await newCustomer(server.url);
  large = await picture({ width: 1_400, height: 1_000 });
});
afterAll(async () => {
  proxy?.close();
  await server?.dispose();
});

/** Sends the first bytes of a larger body, then closes the connection. */
function interrupt(
  path: string,
  headers: Record<string, string>,
  method: string,
  announced: number,
  sent: Buffer,
) {
  const { hostname, port } = new URL(server.url);
  return new Promise<void>((resolve) => {
    const length = { 'Content-Length': String(announced) };
    const sending = request({
      hostname,
      port,
      path,
      method,
      headers: { ...headers, ...length },
      agent: false,
    });
    sending.on('error', () => {});
    sending.on('close', resolve);
    sending.write(sent, () => sending.destroy());
  });
}

describe('slow uploads', () => {
  it('are stored in smaller parts instead of filling memory', async () => {
    const size = 20 * megabyte;
    const { id } = await begin(server.url, alice.app, size);
    const { hostname, port } = new URL(server.url);
    const head = [
      `PATCH /api/v1/media/uploads/${id} HTTP/1.1`,
      `Host: ${hostname}`,
      ...Object.entries(alice.app).map(([name, value]) => `${name}: ${value}`),
      'Content-Type: application/offset+octet-stream',
      'Upload-Offset: 0',
      `Content-Length: ${size}`,
    ].join('\r\n');
    // Each is less than one part. Together they exceed the memory limit.
    const beginning = Buffer.alloc(0.9 * megabyte, 'x');
    const sockets = Array.from({ length: 80 }, () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      socket.write(`${head}\r\n\r\n`);
      socket.write(beginning);
      return socket;
    });
    const offset = async () => (await uploadState(server.url, alice.app, id)).offset;
    await until(async () => (await offset()) > 0, 'one of them is stored');
    expect(await offset()).toBeLessThan(megabyte);
    for (const socket of sockets) socket.destroy();
    expect(
      (await ask(server.url, 'DELETE', `/api/v1/media/uploads/${id}`, { headers: alice.app })).status,
    ).toBe(204);
  });
});

describe('an upload', () => {
  it('resumes after an interruption from the last byte that arrived', async () => {
    const { id, offset } = await begin(server.url, alice.app, large.length);
    expect(offset).toBe(0);
    const sent = large.subarray(0, 2.5 * megabyte);
    const headers = { ...alice.app, 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' };
    await interrupt(`/api/v1/media/uploads/${id}`, headers, 'PATCH', large.length, sent);
    // While some of the bytes are still on their way to the storage, the offset is wrong and has to be requested again.
    const rest = await until(async () => {
      const { offset: reached } = await uploadState(server.url, alice.app, id);
      expect(reached).toBeLessThanOrEqual(sent.length);
      if (reached < 2 * megabyte) return null;
      const reply = await patch(server.url, alice.app, id, reached, large.subarray(reached));
      return reply.status === 204 ? reply : null;
    }, 'the upload resumes from the stored bytes');
    expect(rest.headers['upload-offset']).toBe(String(large.length));
    const head = await ask(server.url, 'HEAD', `/api/v1/media/uploads/${id}`, { headers: alice.app });
    expect(head.headers['upload-offset']).toBe(head.headers['upload-length']);
    const { media } = await uploadState(server.url, alice.app, id);
    expect(media).toMatchObject({ mimeType: 'image/png', width: 1_400, height: 1_000 });
  });

  it('is finished by the HEAD of a tus client if the server was killed after the last byte', async () => {
    const { id } = await begin(server.url, alice.app, large.length);
    const set = (until: string) => queryDatabase(server, `UPDATE files SET finishing_until = ${until}`);
    const stored = () => queryDatabase(server, 'SELECT received, object_key FROM files WHERE id = $1', [id]);
    // As if another process was at work on it.
    await set("now() + interval '1 hour'");
    const lost = patch(server.url, alice.app, id, 0, large).catch(() => null);
    await until(async () => (await stored())[0]?.['received'] === large.length, 'all bytes are stored');
    await server.kill();
    await lost;
    await server.start();
    await set('NULL');
    const head = await ask(server.url, 'HEAD', `/api/v1/media/uploads/${id}`, { headers: alice.app });
    expect(head.headers['upload-offset']).toBe(head.headers['upload-length']);
    expect((await stored())[0]?.['object_key']).toBe(`media/${id}`);
  });

  it('takes each byte once: a wrong offset conflicts, and only one of two simultaneous requests succeeds', async () => {
    const { id } = await begin(server.url, alice.app, large.length);
    const piece = large.subarray(0, 1_000);
    expect((await patch(server.url, alice.app, id, 5, piece)).body).toMatchObject({ error: 'conflict' });
    const both = await Promise.all([1, 2].map(() => patch(server.url, alice.app, id, 0, piece)));
    expect(both.map(({ status }) => status).sort()).toEqual([204, 409]);
    expect((await uploadState(server.url, alice.app, id)).offset).toBe(1_000);
    const tooMuch = await patch(server.url, alice.app, id, 1_000, Buffer.concat([large, piece]));
    expect([tooMuch.status, tooMuch.body.error]).toEqual([413, 'payload_too_large']);
    const json = { ...alice.app, 'Upload-Offset': '1000' };
    expect(
      (await ask(server.url, 'PATCH', `/api/v1/media/uploads/${id}`, { headers: json, body: {} })).status,
    ).toBe(415);
  });

  it('is limited in size, whether its size is declared or not', async () => {
    const size = String(25 * megabyte + 1);
    const announced = await ask(server.url, 'POST', '/api/v1/media/uploads', {
      headers: { ...alice.app, 'Upload-Length': size },
    });
    expect([announced.status, announced.body.error]).toEqual([413, 'payload_too_large']);
    const declared = await post(server.url, alice.app, Buffer.alloc(25 * megabyte + 1));
    expect([declared.status, declared.body.error]).toEqual([413, 'payload_too_large']);
    const zeros = Readable.from(Array.from({ length: 27 }, () => Buffer.alloc(megabyte)));
    const undeclared = await fetch(`${server.url}/api/v1/media`, {
      method: 'POST',
      headers: alice.app,
      body: zeros as unknown as BodyInit,
      duplex: 'half',
    } as RequestInit);
    expect([undeclared.status, await undeclared.json()]).toEqual([
      413,
      expect.objectContaining({ error: 'payload_too_large' }),
    ]);
  });

  it('is refused as a form, whose frame would become part of the document', async () => {
    const form = { ...alice.app, 'Content-Type': 'multipart/form-data; boundary=x' };
    const body = Buffer.from(
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello\r\n--x--\r\n',
    );
    for (const query of ['', '?as=file'])
      expect((await post(server.url, form, body, query)).body).toMatchObject({
        error: 'unsupported_media_type',
        message: expect.stringContaining('not in a form') as string,
      });
  });

  it('delivers the error of an early rejection, even to a client that sends Connection: close', async () => {
    const { hostname, port } = new URL(server.url);
    const size = 25 * megabyte + 1;
    const lines = Object.entries({
      ...alice.app,
      Host: hostname,
      Connection: 'close',
      'Content-Length': size,
    });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const socket = connect(Number(port), hostname);
    socket.write(`POST /api/v1/media HTTP/1.1\r\n${head}\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /);
    // Many clients read the answer only after they have sent everything.
    const sent = once(socket, 'finish');
    socket.end(Buffer.alloc(size));
    await sent;
    socket.destroy();
  });

  it.each(['', '/'])(
    'works with tus-js-client: in chunks, after a pause, and with the status of a rejection (%s)',
    async (slash) => {
      const options = {
        endpoint: `${server.url}/api/v1/media/uploads${slash}`,
        headers: alice.app,
        chunkSize: 300_000,
        retryDelays: [],
        metadata: { filename: 'ü.png', filetype: 'text/html' },
      };
      const send = (bytes: Buffer, afterFirst?: (upload: Upload) => void) =>
        new Promise<Upload>((resolve, reject) => {
          const upload: Upload = new Upload(bytes, {
            ...options,
            onError: reject,
            onSuccess: () => resolve(upload),
            onChunkComplete: () => afterFirst?.(upload),
          });
          upload.start();
        });
      let paused = 0;
      const done = await send(large, (upload) => {
        if (paused++ > 0) return;
        void upload.abort().then(() => upload.start());
      });
      const { media } = await uploadState(server.url, alice.app, done.url?.split('/').at(-1) ?? '');
      expect(media).toMatchObject({ name: 'ü.png', mimeType: 'image/png' });
      const refused = await send(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')).catch(
        (error: unknown) => error,
      );
      expect((refused as DetailedError).originalResponse?.getStatus()).toBe(415);
    },
  );
});

describe('the SDK', () => {
  it('reports progress and resumes by itself when the network changes', async () => {
    const client = await TestClient.signIn(`http://${inFront}:${server.ports.port}`);
    const seen: number[] = [];
    let cuts = 0;
    const info = await client.parley.media.upload(new Blob([new Uint8Array(large)]), {
      name: 'large.png',
      onProgress({ loaded, total }) {
        seen.push(loaded);
        expect(total).toBe(large.length);
        // By the time this runs, the next chunk is on its way.
        if (loaded > 0 && cuts++ < 3) setImmediate(() => proxy.changeNetwork());
      },
    });
    expect(info).toMatchObject({ name: 'large.png', width: 1_400 });
    expect([seen[0], seen.at(-1)]).toEqual([0, large.length]);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.length).toBeGreaterThan(4);
    client.close();
  });

  it('resumes when the server is killed', async () => {
    const client = await TestClient.signIn(server.url);
    const restarts: Promise<void>[] = [];
    const info = await client.parley.media.upload(large, {
      onProgress({ loaded }) {
        if (loaded > 0 && restarts.length === 0) restarts.push(server.kill().then(() => server.start()));
      },
    });
    expect(restarts).toHaveLength(1);
    await Promise.all(restarts);
    expect(info).toMatchObject({ width: 1_400, height: 1_000 });
    expect((await download(info.url)).status).toBe(200);
    client.close();
  });

  it('ends when only the last answer is lost, although the stored file is smaller than the upload', async () => {
    const client = await TestClient.signIn(server.url);
    const image = Buffer.concat([await picture({ width: 100, height: 100 }), Buffer.alloc(100_000)]);
    const send = globalThis.fetch;
    let patches = 0;
    vi.stubGlobal('fetch', async (...args: Parameters<typeof fetch>) => {
      const reply = await send(...args);
      if (args[1]?.method === 'PATCH' && patches++ === 0) throw new TypeError('connection lost');
      return reply;
    });
    try {
      const info = await client.parley.media.upload(image);
      expect(info.size).toBeLessThan(image.length);
      expect(patches).toBe(1);
      const app = { authorization: `Bearer ${client.parley.session?.token}` };
      const state = await uploadState(server.url, app, info.id);
      expect([state.offset, state.size]).toEqual([image.length, image.length]);
    } finally {
      vi.unstubAllGlobals();
      client.close();
    }
  });

  it('reports why a file was rejected, although that answer was lost', async () => {
    const client = await TestClient.signIn(server.url);
    const send = globalThis.fetch;
    let patches = 0;
    vi.stubGlobal('fetch', async (...args: Parameters<typeof fetch>) => {
      const reply = await send(...args);
      if (args[1]?.method === 'PATCH' && patches++ === 0) throw new TypeError('connection lost');
      return reply;
    });
    try {
      await expect(client.parley.media.upload(Buffer.from('<html>'))).rejects.toMatchObject({
        reason: 'unsupported_media_type',
      });
      expect(patches).toBe(2);
    } finally {
      vi.unstubAllGlobals();
      client.close();
    }
  });

  it('starts again when the unfinished file has expired, as while a phone sleeps', async () => {
    const client = await TestClient.signIn(server.url);
    let isExpired = false;
    const seen: number[] = [];
    const send = globalThis.fetch;
    vi.stubGlobal('fetch', async (...args: Parameters<typeof fetch>) => {
      if (args[1]?.method === 'PATCH' && seen.length > 1 && !isExpired) {
        isExpired = true;
        const unfinished = `kind = 'file.expired' AND subject IN (SELECT id FROM files WHERE wallet = $1)`;
        await queryDatabase(server, `UPDATE due SET due_at = now() WHERE ${unfinished}`, [client.address]);
        const left = () => queryDatabase(server, 'SELECT FROM files WHERE wallet = $1', [client.address]);
        await until(async () => (await left()).length === 0, 'the file has expired');
      }
      return send(...args);
    });
    try {
      const onProgress = ({ loaded }: { loaded: number }) => void seen.push(loaded);
      const info = await client.parley.media.upload(large, { onProgress });
      expect(info).toMatchObject({ width: 1_400, height: 1_000 });
      expect(seen.filter((loaded) => loaded === 0)).toHaveLength(2);
    } finally {
      vi.unstubAllGlobals();
      client.close();
    }
  });

  it('reports at once that a file was changed since it was chosen', async () => {
    const client = await TestClient.signIn(server.url);
    const folder = await mkdtemp(join(tmpdir(), 'parley-chosen-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'chosen.txt');
    await writeFile(path, 'chosen');
    const file = await openAsBlob(path);
    await writeFile(path, 'and changed');
    await expect(client.parley.media.upload(file, { as: 'file' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'file: it was changed or removed since it was chosen. Choose it again.',
    });
    const left = () => queryDatabase(server, 'SELECT FROM files WHERE wallet = $1', [client.address]);
    await until(async () => (await left()).length === 0, 'the server drops the upload');
    client.close();
  });

  it('stops on abort, and reports why a file was rejected', async () => {
    const client = await TestClient.signIn(server.url);
    const controller = new AbortController();
    const stopped = client.parley.media.upload(large, {
      signal: controller.signal,
      onProgress: ({ loaded }) => void (loaded > 0 && controller.abort(new Error('aborted'))),
    });
    await expect(stopped).rejects.toThrow('aborted');
    await expect(client.parley.media.upload(Buffer.from('<html>'))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      reason: 'unsupported_media_type',
    });
    await expect(client.parley.media.upload(new Uint8Array(25 * megabyte + 1))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    client.close();
  });
});

it('removes unfinished and unused files when they expire', async () => {
  const video = await recording('film.mp4', ...testCard(1), '-c:v', 'libx264', '-pix_fmt', 'yuv420p');
  const shortLived = await ServerProcess.start({ ...roomySettings, FILE_UPLOAD_SECONDS: '3600' });
  try {
    const { app } = await newCustomer(shortLived.url);
    const { id } = await begin(shortLived.url, app, large.length);
    await patch(shortLived.url, app, id, 0, large.subarray(0, megabyte));
    const before = storedFiles(shortLived);
    expect(before.length).toBeGreaterThan(0);
    expect((await post(shortLived.url, app, video)).status).toBe(201);
    // The video and its thumbnail.
    const added = storedFiles(shortLived).filter((path) => !before.includes(path));
    expect(added.length).toBeGreaterThan(1);
    // Each expires in an hour, so the test moves the due time.
    const left = await queryDatabase(
      shortLived,
      "SELECT extract(epoch FROM due_at - now())::float8 AS seconds FROM due WHERE kind = 'file.expired'",
    );
    expect(left).toHaveLength(2);
    for (const { seconds } of left) {
      expect(seconds).toBeGreaterThan(3_000);
      expect(seconds).toBeLessThanOrEqual(3_600);
    }
    await queryDatabase(shortLived, "UPDATE due SET due_at = now() WHERE kind = 'file.expired'");
    await until(() => storedFiles(shortLived).length === 0, 'no file is left');
    const rows = async () => [
      ...(await queryDatabase(shortLived, 'SELECT id FROM files')),
      ...(await queryDatabase(shortLived, "SELECT subject FROM due WHERE kind LIKE 'file.%'")),
    ];
    await until(async () => (await rows()).length === 0, 'no row is left');
  } finally {
    await shortLived.dispose();
  }
});
