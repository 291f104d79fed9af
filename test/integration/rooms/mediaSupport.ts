import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflateSync, crc32 } from 'node:zlib';
import sharp from 'sharp';
import type { WireMediaInfo, WireUpload } from '../../../sdk/protocol/files.ts';
import { installed } from '../../harness/installed.ts';
import { ask, type Reply } from '../support.ts';

/* Pictures, films and sounds to send, and what sends them in ways the SDK does not. */

/** Noise, which compresses to nothing smaller. */
export const picture = (
  { width = 400, height = 300 }: { width?: number; height?: number } = {},
  format: 'png' | 'jpeg' | 'gif' | 'webp' | 'avif' = 'png',
): Promise<Buffer> =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#3a6',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .toFormat(format)
    .toBuffer();

/** A film or sound made by ffmpeg. @param name its ending says which; @param words what is in it */
export async function recording(name: string, ...words: string[]): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-made-'));
  try {
    const path = join(folder, name);
    // Not in step with it: other tests of the file keep time meanwhile.
    await promisify(execFile)(installed('ffmpeg'), ['-v', 'error', ...words, path]);
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export const tone = (seconds: number, hertz = 440) => ['-f', 'lavfi', '-i', `sine=${hertz}:d=${seconds}`];
export const testCard = (seconds: number) => ['-f', 'lavfi', '-i', `testsrc=s=320x180:r=10:d=${seconds}`];

/** A PNG that says it is so large, and has a few bytes. */
export function bomb(side: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.alloc(1_000_000));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

type Headers = Record<string, string>;

/** What `curl --data-binary` sends. */
export const post = (url: string, headers: Headers, raw: Buffer, query = ''): Promise<Reply> =>
  ask(url, 'POST', `/api/v1/media${query}`, {
    raw,
    headers: { 'Content-Type': 'application/octet-stream', ...headers },
  });

/** @throws Error where it is not taken */
export async function posted(url: string, headers: Headers, raw: Buffer, query = ''): Promise<WireMediaInfo> {
  const reply = await post(url, headers, raw, query);
  if (reply.status !== 201) throw new Error(`upload: ${reply.text}`);
  return reply.body as unknown as WireMediaInfo;
}

export async function begin(url: string, headers: Headers, size: number): Promise<WireUpload> {
  const reply = await ask(url, 'POST', '/api/v1/media/uploads', {
    headers: { ...headers, 'Upload-Length': String(size) },
  });
  if (reply.status !== 201) throw new Error(`upload: ${reply.text}`);
  return reply.body as unknown as WireUpload;
}

export const patch = (
  url: string,
  headers: Headers,
  id: string,
  offset: number,
  raw: Buffer,
): Promise<Reply> =>
  ask(url, 'PATCH', `/api/v1/media/uploads/${id}`, {
    raw,
    headers: {
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': String(offset),
      ...headers,
    },
  });

export async function uploadState(url: string, headers: Headers, id: string): Promise<WireUpload> {
  return (await ask(url, 'GET', `/api/v1/media/uploads/${id}`, { headers })).body as unknown as WireUpload;
}

export async function download(address: string, headers: Headers = {}) {
  const response = await fetch(address, { headers });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

/** Files in a server's own folder, by their names in it. */
export function storedFiles({ dataDir }: { dataDir: string }): string[] {
  const found = readdirSync(join(dataDir, 'files'), { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}
