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
  /** What is not finished or not used by then goes. */
  keepMs: number;
}

/** What of a body is not stored yet. */
interface Held {
  pieces: Buffer[];
  bytes: number;
}

export const expired = 'file.expired';
export const partsOf = (fileId: string) => `uploads/${fileId}/`;

/** As much of a body as is held in memory before it is stored; what a cut costs at most. */
const partBytes = 1024 * 1024;
/** As much of all bodies together: beyond that they are stored in small parts. */
const mostHeldBytes = 64 * 1024 * 1024;
const smallPartBytes = 64 * 1024;
/** Only who sends a few bytes at a time gets there. */
const mostParts = 1_000;
/** Of one wallet, not used yet. */
const mostPending = { count: 20, bytes: 250 * 1024 * 1024 };

/**
 * Files on their way in. What arrives is stored piece by piece under its place in the whole, and only then counts as received: so an
 * upload goes on where it was, whatever was cut or killed, and on any node.
 */
export class Uploads {
  readonly #deps: UploadDeps;
  /** Bytes of bodies that are in memory. */
  #heldBytes = 0;

  constructor(deps: UploadDeps) {
    this.#deps = deps;
  }

  /**
   * @param size null where it is not known
   * @throws ParleyError VALIDATION_ERROR (413), CONFLICT when too much waits to be used, or a quota of files is used up
   */
  begin(
    wallet: Address,
    { name, size }: { name: string | undefined; size: number | null },
  ): Promise<FileRow> {
    if (size === 0) throw new ParleyError('VALIDATION_ERROR', 'The file is empty.');
    if (size !== null && size > maxFileBytes) throw tooLarge();
    const { store, jobs } = this.#deps;
    return store.transaction(async (tx) => {
      const pending = await store.pending(tx, wallet);
      const countedBytes = size ?? maxFileBytes;
      const bytes = pending.bytes + countedBytes;
      if (pending.count >= mostPending.count || bytes > mostPending.bytes) {
        const message = 'Too many files wait to be sent: send or delete some of them first.';
        throw new ParleyError('CONFLICT', message);
      }
      const row = await store.insert(tx, {
        id: newId('med'),
        wallet,
        name: cleanName(name),
        size,
        countedBytes,
        createdAt: new Date(),
      });
      await jobs.set(tx, expired, row.id, this.expiryOf(row));
      return row;
    });
  }

  expiryOf = ({ createdAt }: FileRow) => new Date(createdAt.getTime() + this.#deps.keepMs);

  /**
   * Stores what comes, from this place on.
   * @returns how far the upload has got
   * @throws ParleyError CONFLICT where it has got somewhere else, VALIDATION_ERROR (413) for more than was announced
   */
  async receive(row: FileRow, offset: number, body: Readable): Promise<number> {
    if (offset !== row.received || row.objectKey !== null) throw elsewhere(row.received);
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
      if (++parts > mostParts) throw new ParleyError('CONFLICT', 'Send larger pieces: there are too many.');
      await this.#storePart(row.id, at, Buffer.concat(pieces, bytes));
      at += bytes;
      [held.pieces, held.bytes] = [[], 0];
      this.#heldBytes -= bytes;
    };
    try {
      // Refused in the middle, the request has to live on for its answer.
      for await (const chunk of body.iterator({ destroyOnReturn: false })) {
        const piece = chunk as Buffer;
        if (at + held.bytes + piece.length > limit) throw tooLarge();
        held.pieces.push(piece);
        held.bytes += piece.length;
        this.#heldBytes += piece.length;
        if (held.bytes >= (this.#heldBytes > mostHeldBytes ? smallPartBytes : partBytes)) await store();
      }
    } catch (error) {
      if (error instanceof ParleyError) throw error;
      await store();
      // Nobody hears it: the connection is gone.
      throw new ParleyError('VALIDATION_ERROR', 'The upload broke off.', {
        reason: 'invalid_request',
        cause: error,
      });
    }
    await store();
    return at;
  }

  async #storePart(fileId: string, offset: number, piece: Buffer): Promise<void> {
    const { store, storage } = this.#deps;
    // Two that come at once do not overwrite each other's.
    const key = `${partsOf(fileId)}${offset}-${randomBase62(8)}`;
    await storage.put(key, piece);
    if (await store.addPart(fileId, offset, { key, size: piece.length })) return;
    await storage.delete(key);
    throw elsewhere((await store.find(fileId))?.received ?? 0);
  }
}

const tooLarge = () =>
  new ParleyError(
    'VALIDATION_ERROR',
    `A file has at most ${maxFileBytes / 1024 / 1024} MB, and no more than announced.`,
    {
      reason: 'payload_too_large',
    },
  );
const elsewhere = (received: number) =>
  new ParleyError('CONFLICT', `The upload is at ${received}: ask where it is, and go on from there.`);
