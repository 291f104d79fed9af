import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { checkKey, ObjectMissing, type ByteRange, type ObjectStorage } from './ObjectStorage.ts';

export interface S3Settings {
  /** The endpoint, if it is not Amazon's. */
  endpoint: string | undefined;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/**
 * Objects larger than this are uploaded in parts of this size, so that each part finishes within its timeout. S3 limits a single upload to
 * 5 GB.
 */
const partBytes = 16 * 1024 * 1024;
/** S3's maximum number of parts of one object. */
const maxParts = 10_000;
/** The number of parts that are uploaded, and held in memory, at the same time. */
const partsAtOnce = 2;
/**
 * No limit of their number: a download keeps its connection for as long as its receiver takes. With the usual limit of 50, so many slow
 * receivers would stop everything that this process stores and reads.
 */
const connections = { maxSockets: Infinity };
/** How long the server may send nothing of an object that it has begun to send. The client's own time limits end with the headers. */
const silentMs = 30_000;

/** Stores files in a bucket of Amazon S3, or of another server with the same protocol. */
export class S3Storage implements ObjectStorage {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #silentMs: number;

  /**
   * @throws Error if the bucket does not exist or the key has no access. An unreachable server is not an error, because it may come
   *   back
   */
  static async open(settings: S3Settings, log: Logger, limits = { silentMs }): Promise<S3Storage> {
    const storage = new S3Storage(settings, limits.silentMs);
    try {
      await storage.#client.send(new HeadBucketCommand({ Bucket: settings.bucket }));
    } catch (cause) {
      if (!isRefusal(cause)) {
        const { endpoint, bucket } = settings;
        log.warn({ err: cause, endpoint, bucket }, 'file storage cannot be reached');
        return storage;
      }
      storage.close();
      throw storage.#problem('opened', cause);
    }
    return storage;
  }

  private constructor(
    { endpoint, region, bucket, accessKeyId, secretAccessKey }: S3Settings,
    limitMs: number,
  ) {
    this.#bucket = bucket;
    this.#silentMs = limitMs;
    this.#client = new S3Client({
      ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
      region,
      credentials: { accessKeyId, secretAccessKey },
      requestHandler: {
        ...{ connectionTimeout: 5_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
        ...{ httpAgent: connections, httpsAgent: connections },
      },
      // Amazon added checksums in 2025 that few other servers support.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  async put(key: string, bytes: Buffer): Promise<void> {
    await this.#put(key, bytes, bytes.length);
  }

  async putFile(key: string, path: string): Promise<number> {
    const { size } = await stat(path);
    const body = createReadStream(path);
    try {
      if (size > partBytes) await this.#putParts(key, body, size);
      else await this.#put(key, body, size);
    } finally {
      body.destroy();
    }
    return size;
  }

  async get(key: string, range?: ByteRange): Promise<Readable> {
    const bytes = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
    const { Body: body } = await this.#client
      .send(new GetObjectCommand({ ...this.#at(key), ...bytes }))
      .catch((error: unknown) => {
        if (isNotFound(error)) throw new ObjectMissing(key, error);
        return throwUnavailable(error);
      });
    const message = body as IncomingMessage;
    endIfSilent(message, this.#silentMs);
    return message;
  }

  async delete(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#at(key))).catch((error: unknown) => {
      if (!isNotFound(error)) throwUnavailable(error);
    });
  }

  async exists(key: string): Promise<boolean> {
    return this.#client.send(new HeadObjectCommand(this.#at(key))).then(
      () => true,
      (error: unknown) => (isNotFound(error) ? false : throwUnavailable(error)),
    );
  }

  async list(folder: string): Promise<string[]> {
    checkKey(folder.replace(/\/$/, ''));
    const command = new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: folder });
    const { Contents: found = [] } = await this.#client.send(command).catch(throwUnavailable);
    return found.flatMap(({ Key: key }) => key ?? []);
  }

  /**
   * All objects of the bucket.
   * @throws Error with the settings to check, for the operator
   */
  async *objects(): AsyncGenerator<{ key: string; size: number; etag: string }> {
    const pages = paginateListObjectsV2({ client: this.#client }, { Bucket: this.#bucket });
    for (;;) {
      const page = await pages.next().catch((cause: unknown) => {
        throw this.#problem('listed', cause as Error);
      });
      if (page.done) return;
      for (const { Key: key, Size: size = 0, ETag: etag = '' } of page.value.Contents ?? [])
        if (key !== undefined) yield { key, size, etag: etag.replaceAll('"', '') };
    }
  }

  close(): void {
    this.#client.destroy();
  }

  async #put(key: string, body: Buffer | Readable, size: number): Promise<void> {
    const command = new PutObjectCommand({ ...this.#at(key), Body: body, ContentLength: size });
    await this.#client.send(command).catch(throwUnavailable);
  }

  /** Uploads an object in parts. The object appears only when all parts are uploaded. If one fails, the others are removed. */
  async #putParts(key: string, body: Readable, size: number): Promise<void> {
    const upload = new Upload({
      client: this.#client,
      params: { ...this.#at(key), Body: body },
      partSize: Math.max(partBytes, Math.ceil(size / maxParts)),
      queueSize: partsAtOnce,
    });
    await upload.done().catch(throwUnavailable);
  }

  #problem(what: 'opened' | 'listed', cause: Error): Error {
    const reason =
      cause instanceof S3ServiceException
        ? `${cause.$metadata.httpStatusCode} ${cause.name}`
        : cause.message || (cause as NodeJS.ErrnoException).code;
    const hint = 'check S3_ENDPOINT, S3_BUCKET, S3_REGION, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY';
    return new Error(`The bucket ${this.#bucket} cannot be ${what} (${reason}): ${hint}.`, { cause });
  }

  #at(key: string) {
    checkKey(key);
    return { Bucket: this.#bucket, Key: key };
  }
}

const isNotFound = (error: unknown) =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404;

/** Whether the server has refused the request. A retry would have the same result. */
const isRefusal = (error: unknown): error is S3ServiceException => {
  const status = error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? 500) : 500;
  return status >= 300 && status < 500;
};

/**
 * Ends an object of which nothing more arrives, although the connection stays open. Its reader would wait for ever. A reader that is slow
 * itself does not matter: then there are bytes that it has not read.
 */
function endIfSilent(body: IncomingMessage, limitMs: number): void {
  const { socket } = body;
  /** How much had arrived when the reader last waited for more; null if it has not waited since. */
  let waitedAt: number | null = null;
  const timer = setInterval(() => {
    const isWaiting = body.readableLength === 0 && !body.complete;
    if (isWaiting && waitedAt === socket.bytesRead)
      body.destroy(unavailable(new Error(`the server has sent nothing for ${limitMs} ms`)));
    // Seen twice, because a reader that was slow waits for a moment when it has read what was there.
    waitedAt = isWaiting ? socket.bytesRead : null;
  }, limitMs).unref();
  body.once('close', () => clearInterval(timer));
}

function unavailable(cause: unknown): ParleyError {
  const message = 'The file storage cannot be reached. Try again in a moment.';
  return new ParleyError('SERVICE_UNAVAILABLE', message, { cause, retryAfter: 5 });
}

function throwUnavailable(cause: unknown): never {
  throw unavailable(cause);
}
