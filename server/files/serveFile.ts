import type { Readable } from 'node:stream';
import type { Request } from 'express';
import { RawAnswer } from '../http/RawAnswer.ts';
import { contentDisposition } from './fileName.ts';
import { noSuchFile, type FileService, type ReadyFile } from './FileService.ts';
import { ObjectMissing, type ByteRange } from './ObjectStorage.ts';

interface FileRequest {
  thumbnail: boolean;
  /** How long a browser may cache the file. */
  seconds: number;
}

/** Headers that keep scripts in a file from running, and browsers from guessing another type. */
const harmless = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
};

/** Serves a file, or the range of it that a player requests. */
export async function serveFile(
  request: Request,
  file: ReadyFile,
  { thumbnail, seconds }: FileRequest,
  files: Pick<FileService, 'read' | 'find'>,
): Promise<RawAnswer> {
  const common = { ...harmless, 'Cache-Control': `private, max-age=${seconds}, immutable` };
  if (thumbnail && file.thumbnailKey) {
    return new RawAnswer(
      200,
      { ...common, 'Content-Type': 'image/webp' },
      await readWhileThere(files, file, file.thumbnailKey),
    );
  }
  const etag = `"${file.id}-${file.size}"`;
  const headers = {
    ...common,
    'Accept-Ranges': 'bytes',
    ETag: etag,
    'Content-Disposition': contentDisposition(file.name, file.kind),
    'Content-Type': file.mimeType,
  };
  if (isNamed(request.headers['if-none-match'], etag)) return new RawAnswer(304, headers);
  const range = rangeOf(request, file.size, etag);
  if (range === 'none') {
    // This is not thrown as an error, because the standard requires a Content-Range header with the size.
    return new RawAnswer(416, { ...harmless, 'Content-Range': `bytes */${file.size}` });
  }
  const length = range ? range.end - range.start + 1 : file.size;
  const where = range && { 'Content-Range': `bytes ${range.start}-${range.end}/${file.size}` };
  const body = await readWhileThere(files, file, file.objectKey, range ?? undefined);
  return new RawAnswer(range ? 206 : 200, { ...headers, ...where, 'Content-Length': length }, body);
}

/** Whether a list of tags contains this one. Proxies that compress files make their tags weak (`W/`). */
const isNamed = (list = '', etag: string) =>
  list.split(',').some((each) => ['*', etag, `W/${etag}`].includes(each.trim()));

/** @throws ParleyError NOT_FOUND if the file was deleted or replaced since its row was read */
async function readWhileThere(
  files: Pick<FileService, 'read' | 'find'>,
  file: ReadyFile,
  key: string,
  range?: ByteRange,
): Promise<Readable> {
  try {
    return await files.read(key, range);
  } catch (error) {
    if (!(error instanceof ObjectMissing)) throw error;
    const now = await files.find(file.id);
    if (now.objectKey !== file.objectKey) throw noSuchFile();
    // The storage has lost the object.
    throw error;
  }
}

/** @returns null for the whole file, even if several ranges are requested; `none` for a range beyond its end */
function rangeOf(request: Request, size: number, etag: string): ByteRange | 'none' | null {
  const { 'if-range': onlyIf } = request.headers;
  if (onlyIf !== undefined && onlyIf !== etag) return null;
  const asked = request.range(size);
  if (asked === -1) return 'none';
  if (asked === undefined || asked === -2 || asked.type !== 'bytes' || asked.length !== 1) return null;
  return asked[0] ?? null;
}
