import { ParleyError } from '../../protocol/errors.ts';
import { maxFileBytes } from '../../protocol/limits.ts';
import type { WireUpload } from '../../protocol/files.ts';
import type { FromWire } from '../../protocol/common.ts';
import type { HttpClient } from './HttpClient.ts';
import { invalid } from '../connection/guard.ts';
import { throwIfAborted } from '../platform/abort.ts';
import type { FileAddress, Platform, UploadFile } from '../platform/Platform.ts';
import { utf8 } from '../platform/utf8.ts';
import { isWorthWaiting, pause } from '../connection/transient.ts';
import type { MediaInfo, UploadOptions } from '../types.ts';

type Upload = FromWire<WireUpload>;

/** The size of the first chunk. */
const firstChunkBytes = 256 * 1024;
/**
 * The limits of a chunk's size. On a slow network chunks are small, so that progress is visible and little is lost with a connection. nginx
 * refuses bodies of more than 1 MB by default.
 */
const chunkBytes = { min: 64 * 1024, max: 1024 * 1024 };
/** After a chunk that took less than `quickMs`, the next one is twice as large; after more than `slowMs`, half as large. */
const [quickMs, slowMs] = [500, 4_000];
/** The maximum number of failures in a row without progress. With their pauses, they last about two minutes. */
const maxFailures = 25;

type Bytes = Blob | Uint8Array<ArrayBuffer>;

interface Content {
  size: number;
  slice: (start: number, end: number) => Bytes;
}

const isAddress = (file: UploadFile): file is FileAddress => 'uri' in file;

/** Bytes are sent as they are, because React Native makes no Blob of bytes. */
function contentOf(file: Blob | Uint8Array): Content {
  if ('size' in file) return { size: file.size, slice: (start, end) => file.slice(start, end) };
  const bytes = file as Uint8Array<ArrayBuffer>;
  return { size: bytes.length, slice: (start, end) => bytes.subarray(start, end) };
}

/** Uploads files in chunks (tus 1.0), and resumes after failures. */
export class Uploads {
  readonly #http: HttpClient;
  readonly #platform: Platform;

  constructor(http: HttpClient, platform: Platform) {
    this.#http = http;
    this.#platform = platform;
  }

  async upload(file: UploadFile, options: UploadOptions = {}): Promise<MediaInfo> {
    const { name = nameOf(file), onProgress, signal, as } = options;
    throwIfAborted(signal);
    const content = contentOf(isAddress(file) ? await this.#platform.readFile(file) : file);
    const total = content.size;
    if (total > maxFileBytes) {
      const message = `The file is too large: send at most ${maxFileBytes / 1024 / 1024} MB.`;
      throw new ParleyError('VALIDATION_ERROR', message, { reason: 'payload_too_large' });
    }
    for (let isAgain = false; ; isAgain = true) {
      const { id } = await this.#retry(signal, () => this.#begin(total, { name, as }, signal));
      try {
        onProgress?.({ loaded: 0, total });
        await this.#sendAll(id, content, options);
        return await this.#result(id, signal);
      } catch (error) {
        // Nobody else knows this upload, so the server need not keep what it has.
        void this.#http.request('DELETE', pathOf(id)).catch(() => undefined);
        // It is gone: it has expired, for example while a phone slept, or the answer that rejected it was lost. The second time tells why.
        if (isAgain || !isGone(error)) throw error;
      }
    }
  }

  #begin(
    total: number,
    { name, as }: { name: string | undefined; as: 'file' | undefined },
    signal: AbortSignal | undefined,
  ): Promise<Upload> {
    const metadata = Object.entries({ filename: name, as })
      .filter((entry): entry is [string, string] => entry[1] !== undefined)
      .map(([key, value]) => `${key} ${toBase64(value)}`);
    const headers = {
      'Tus-Resumable': '1.0.0',
      'Upload-Length': String(total),
      ...(metadata.length > 0 ? { 'Upload-Metadata': metadata.join(',') } : {}),
    };
    return this.#http.request<WireUpload>('POST', '/media/uploads', undefined, { headers, signal });
  }

  async #sendAll(id: string, content: Content, { onProgress, signal }: UploadOptions): Promise<void> {
    let size = firstChunkBytes;
    let failures = 0;
    for (let offset = 0; offset < content.size;) {
      const startedAt = Date.now();
      const end = Math.min(offset + size, content.size);
      const bytes = content.slice(offset, end);
      try {
        await this.#send(id, offset, bytes, signal);
        offset = end;
        const tookMs = Date.now() - startedAt;
        if (tookMs < quickMs) size = Math.min(size * 2, chunkBytes.max);
        if (tookMs > slowMs) size = Math.max(size / 2, chunkBytes.min);
      } catch (error) {
        if (!isWorthWaiting(error) && !isWrongOffset(error)) throw error;
        await mustBeReadable(bytes);
        // The server may have received part of the chunk, or all of it if only the answer was lost.
        const { offset: received } = await this.#retry(signal, () => this.#status(id, signal));
        size = chunkBytes.min;
        failures = received > offset ? 0 : failures + 1;
        offset = received;
        if (failures === maxFailures) throw error;
        if (failures > 0) await pause(error, failures, signal);
      }
      onProgress?.({ loaded: offset, total: content.size });
    }
  }

  #send(id: string, offset: number, bytes: Bytes, signal: AbortSignal | undefined): Promise<unknown> {
    const headers = {
      'Tus-Resumable': '1.0.0',
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': String(offset),
    };
    return this.#http.request('PATCH', pathOf(id), undefined, { headers, bytes, signal });
  }

  #status(id: string, signal: AbortSignal | undefined): Promise<Upload> {
    return this.#http.request<WireUpload>('GET', pathOf(id), undefined, { signal });
  }

  /** Waits until the server has processed the file. @returns the file */
  async #result(id: string, signal: AbortSignal | undefined): Promise<MediaInfo> {
    const { media } = await this.#retry(signal, async () => {
      const upload = await this.#status(id, signal);
      if (upload.media) return upload;
      throw new ParleyError(
        'SERVICE_UNAVAILABLE',
        'The server is still processing this file: try again later.',
        { reason: 'still_processing' },
      );
    });
    return media as MediaInfo;
  }

  /** Runs until it succeeds, fails permanently or too often, or is aborted. */
  async #retry<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures++) {
      throwIfAborted(signal);
      try {
        return await run();
      } catch (error) {
        throwIfAborted(signal);
        if (!isWorthWaiting(error) || failures === maxFailures) throw error;
        await pause(error, failures, signal);
      }
    }
  }
}

/**
 * Checks a part of a file that was not sent: a browser fails as without a network if it cannot read it. React Native's Blob has no such method.
 * @throws ParleyError VALIDATION_ERROR
 */
async function mustBeReadable(bytes: Bytes): Promise<void> {
  if (!('arrayBuffer' in bytes)) return;
  await bytes.arrayBuffer().catch((cause: unknown) => {
    const error = invalid('file', 'file: it was changed or removed since it was chosen. Choose it again.');
    throw Object.assign(error, { cause });
  });
}

const pathOf = (id: string) => `/media/uploads/${id}`;
const nameOf = (file: object) => ('name' in file && typeof file.name === 'string' ? file.name : undefined);
const isWrongOffset = (error: unknown) => error instanceof ParleyError && error.code === 'CONFLICT';
const isGone = (error: unknown) => error instanceof ParleyError && error.code === 'NOT_FOUND';

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...utf8(text)));
}
