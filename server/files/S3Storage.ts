import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { checkKey, ObjectMissing, type ByteRange, type ObjectStorage } from './ObjectStorage.ts';

export interface S3Settings {
  /** Where it is not Amazon's. */
  endpoint: string | undefined;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** What is larger goes in parts of this size, so that each gets through in its time; in one piece S3 takes 5 GB. */
const partBytes = 16 * 1024 * 1024;
/** Of one object, S3 takes so many. */
const mostParts = 10_000;
/** So many are in memory. */
const partsAtOnce = 2;

/** Files in a bucket of Amazon S3 or of anything that speaks its protocol. */
export class S3Storage implements ObjectStorage {
  readonly #client: S3Client;
  readonly #bucket: string;

  /** @throws Error when the bucket is not there or the key does not open it; one that can't be reached may come back */
  static async open(settings: S3Settings, log: Logger): Promise<S3Storage> {
    const storage = new S3Storage(settings);
    try {
      await storage.#client.send(new HeadBucketCommand({ Bucket: settings.bucket }));
    } catch (cause) {
      if (!isRefusal(cause)) {
        log.warn({ err: cause, bucket: settings.bucket }, 'the file storage can’t be reached');
        return storage;
      }
      storage.close();
      const { httpStatusCode: status } = cause.$metadata;
      const hint = 'look at S3_ENDPOINT, S3_BUCKET, S3_REGION, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY';
      throw new Error(`The bucket ${settings.bucket} does not open (${status} ${cause.name}): ${hint}.`, {
        cause,
      });
    }
    return storage;
  }

  private constructor({ endpoint, region, bucket, accessKeyId, secretAccessKey }: S3Settings) {
    this.#bucket = bucket;
    this.#client = new S3Client({
      ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
      region,
      credentials: { accessKeyId, secretAccessKey },
      requestHandler: { connectionTimeout: 5_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
      // What Amazon added in 2025, few others understand.
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
        return away(error);
      });
    return body as Readable;
  }

  async delete(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#at(key))).catch((error: unknown) => {
      if (!isNotFound(error)) away(error);
    });
  }

  async exists(key: string): Promise<boolean> {
    return this.#client.send(new HeadObjectCommand(this.#at(key))).then(
      () => true,
      (error: unknown) => (isNotFound(error) ? false : away(error)),
    );
  }

  async list(folder: string): Promise<string[]> {
    checkKey(folder.replace(/\/$/, ''));
    const command = new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: folder });
    const { Contents: found = [] } = await this.#client.send(command).catch(away);
    return found.flatMap(({ Key: key }) => key ?? []);
  }

  close(): void {
    this.#client.destroy();
  }

  async #put(key: string, body: Buffer | Readable, size: number): Promise<void> {
    const command = new PutObjectCommand({ ...this.#at(key), Body: body, ContentLength: size });
    await this.#client.send(command).catch(away);
  }

  /** It is there when all of them are; they are removed where one does not get there. */
  async #putParts(key: string, body: Readable, size: number): Promise<void> {
    const upload = new Upload({
      client: this.#client,
      params: { ...this.#at(key), Body: body },
      partSize: Math.max(partBytes, Math.ceil(size / mostParts)),
      queueSize: partsAtOnce,
    });
    await upload.done().catch(away);
  }

  #at(key: string) {
    checkKey(key);
    return { Bucket: this.#bucket, Key: key };
  }
}

const isNotFound = (error: unknown) =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404;

/** It was reached, and said no: trying again gives the same. */
const isRefusal = (error: unknown): error is S3ServiceException => {
  const status = error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? 500) : 500;
  return status >= 300 && status < 500;
};

function away(cause: unknown): never {
  const message = 'The storage of files is away: try again in a moment.';
  throw new ParleyError('SERVICE_UNAVAILABLE', message, { cause, retryAfter: 5 });
}
