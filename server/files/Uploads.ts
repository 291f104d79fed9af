import type { Readable } from 'node:stream';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { maxFileBytes } from '../../sdk/protocol/limits.ts';
import { newId, randomBase62 } from '../../sdk/protocol/ids.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { cleanName } from './fileName.ts';
import type { FileStore } from './FileStore.ts';
import type { ObjectStorage } from './ObjectStorage.ts';
import type { FileRow } from './tables.ts';

interface UploadDeps {
  store: FileStore;
  storage: ObjectStorage;
  jobs: ScheduledJobs;
  /** Uploads that are not finished and used within this time are deleted. */
  keepMs: number;
}

/** Bytes of a body that are not stored yet. */
interface Held {
  pieces: Buffer[];
  bytes: number;
}

export const expired = 'file.expired';
export const partsOf = (fileId: string) => `uploads/${fileId}/`;

/**
 * The number of bytes of a body that are collected in memory before they are stored. If the process dies, the upload loses at most this
 * many.
 */
const partBytes = 1024 * 1024;
/** If all bodies together have more bytes than this in memory, they are stored in smaller parts. */
const maxHeldBytes = 64 * 1024 * 1024;
const smallPartBytes = 64 * 1024;
/** The maximum number of parts of an upload. Only clients that send a few bytes at a time reach it. */
const maxParts = 1_000;
/** The maximum number and total size of the unused uploads of a wallet. */
const maxPending = { count: 20, bytes: 250 * 1024 * 1024 };

/**
 * Receives uploads. Bytes are stored in parts, and count as received only once they are stored. So an upload can continue after any
 * interruption, on any node.
 */
export class Uploads {
  readonly #deps: UploadDeps;
  /** The bytes of all bodies that are held in memory. */
  #heldBytes = 0;

  constructor(deps: UploadDeps) {
    this.#deps = deps;
  }

  /**
   * @param announced.size null if it is not known
   * @param announced.as `file` for a document, which is stored unchanged
   * @throws ParleyError VALIDATION_ERROR (413), or CONFLICT if the wallet has too many unused uploads or a quota is used up
   */
  begin(
    wallet: Address,
    { name, size, as }: { name: string | undefined; size: number | null; as: 'file' | undefined },
  ): Promise<FileRow> {
    if (size === 0)
      throw new ParleyError('VALIDATION_ERROR', 'The file is empty. Choose a file with content.');
    if (size !== null && size > maxFileBytes) throw tooLarge();
    const { store, jobs } = this.#deps;
    return store.transaction(async (tx) => {
      const pending = await store.pending(tx, wallet);
      const countedBytes = size ?? maxFileBytes;
      const bytes = pending.bytes + countedBytes;
      if (pending.count >= maxPending.count || bytes > maxPending.bytes) {
        const message = 'Too many uploads are not sent yet. Send or delete some of them first.';
        throw new ParleyError('CONFLICT', message);
      }
      const row = await store.insert(tx, {
        id: newId('med'),
        wallet,
        name: cleanName(name),
        size,
        countedBytes,
        kind: as ?? null,
        createdAt: new Date(),
      });
      await jobs.set(tx, expired, row.id, this.expiryOf(row));
      return row;
    });
  }

  expiryOf = ({ createdAt }: FileRow) => new Date(createdAt.getTime() + this.#deps.keepMs);

  /**
   * Stores the body of a request, which starts at an offset of the file.
   * @returns the new offset
   * @throws ParleyError CONFLICT if the upload is at another offset, or VALIDATION_ERROR (413) for more bytes than announced
   */
  async receive(row: FileRow, offset: number, body: Readable): Promise<number> {
    if (offset !== row.received || row.objectKey !== null) throw wrongOffset(row.received);
    const held: Held = { pieces: [], bytes: 0 };
    try {
      return await this.#receive(row, body, held);
    } finally {
      this.#heldBytes -= held.bytes;
    }
  }

  async #receive(row: FileRow, body: Readable, held: Held): Promise<number> {
    const limit = row.size ?? maxFileBytes;
    let at = row.received;
    let parts = row.parts.length;
    const store = async () => {
      const { pieces, bytes } = held;
      if (bytes === 0) return;
      if (++parts > maxParts)
        throw new ParleyError(
          'CONFLICT',
          'The upload has too many parts. Start again and send larger pieces.',
        );
      await this.#storePart(row.id, at, Buffer.concat(pieces, bytes));
      at += bytes;
      [held.pieces, held.bytes] = [[], 0];
      this.#heldBytes -= bytes;
    };
    try {
      // If the body is refused midway, the request must stay open, so that the answer can be sent.
      for await (const chunk of body.iterator({ destroyOnReturn: false })) {
        const piece = chunk as Buffer;
        if (at + held.bytes + piece.length > limit) throw tooLarge();
        held.pieces.push(piece);
        held.bytes += piece.length;
        this.#heldBytes += piece.length;
        if (held.bytes >= (this.#heldBytes > maxHeldBytes ? smallPartBytes : partBytes)) await store();
      }
    } catch (error) {
      // The bytes were refused, or could not be stored: the client is still there, and gets this error.
      if (!body.errored) throw error;
      await store();
      // The client does not get this error, because its connection is gone.
      throw new ParleyError('VALIDATION_ERROR', 'The upload was interrupted. Continue it from its offset.', {
        reason: 'invalid_request',
        cause: error,
      });
    }
    await store();
    return at;
  }

  async #storePart(fileId: string, offset: number, piece: Buffer): Promise<void> {
    const { store, storage } = this.#deps;
    // The random suffix keeps concurrent parts at the same offset from overwriting each other.
    const key = `${partsOf(fileId)}${offset}-${randomBase62(8)}`;
    await storage.put(key, piece);
    if (await store.addPart(fileId, offset, { key, size: piece.length })) return;
    await storage.delete(key);
    throw wrongOffset((await store.find(fileId))?.received ?? 0);
  }
}

const tooLarge = () =>
  new ParleyError(
    'VALIDATION_ERROR',
    `The file is too large. Send at most ${maxFileBytes / 1024 / 1024} MB, and no more than announced.`,
    {
      reason: 'payload_too_large',
    },
  );
const wrongOffset = (received: number) =>
  new ParleyError(
    'CONFLICT',
    `The upload is at offset ${received}. Read its offset and continue from there.`,
  );
