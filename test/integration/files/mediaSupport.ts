import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflateSync, crc32 } from 'node:zlib';
import sharp from 'sharp';
import type { WireMediaInfo, WireUpload } from '../../../sdk/protocol/files.ts';
import { installed } from '../../harness/run/installed.ts';
import { ask, type Reply } from '../support.ts';

/* Images, video and audio files for tests, and uploads in ways the SDK does not use. */

/** An image of noise, which hardly compresses. */
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

/**
 * A video or audio file made by ffmpeg.
 *
 * @param name File name; its extension selects the format.
 * @param args ffmpeg arguments for the content.
 */
export async function recording(name: string, ...args: string[]): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-made-'));
  try {
    const path = join(folder, name);
    // Runs asynchronously, because other tests in the same file measure time meanwhile.
    await promisify(execFile)(installed('ffmpeg'), ['-v', 'error', ...args, path]);
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export const tone = (seconds: number, hertz = 440) => ['-f', 'lavfi', '-i', `sine=${hertz}:d=${seconds}`];
export const testCard = (seconds: number) => ['-f', 'lavfi', '-i', `testsrc=s=320x180:r=10:d=${seconds}`];

/** A small PNG that declares `side` × `side` pixels. */
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

/** An upload as `curl --data-binary` sends it. */
export const post = (url: string, headers: Headers, raw: Buffer, query = ''): Promise<Reply> =>
  ask(url, 'POST', `/api/v1/media${query}`, {
    raw,
    headers: { 'Content-Type': 'application/octet-stream', ...headers },
  });

/** @throws Error if the upload is rejected */
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

/** Paths of all files that a server has stored. */
export function storedFiles({ dataDir }: { dataDir: string }): string[] {
  const found = readdirSync(join(dataDir, 'files'), { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}
