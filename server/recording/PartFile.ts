import { open, rm, stat } from 'node:fs/promises';
import type { RecordingStore } from '../../signaling/recordings/RecordingStore.ts';
import type { PartRow } from '../../signaling/recordings/tables.ts';
import type { ObjectStorage } from '../files/ObjectStorage.ts';
import { chunkKey } from './chunkKey.ts';

interface PartFileDeps {
  store: RecordingStore;
  storage: ObjectStorage;
}

type Place = Pick<PartRow, 'id' | 'recordingId' | 'bytes' | 'chunks'>;

const chunkBytes = 8 * 1024 * 1024;

/** A part that grows on this node, and its way into the storage: what is written is never changed, and so is brought there piece by piece. */
export class PartFile {
  readonly path: string;
  readonly #row: Place;
  readonly #deps: PartFileDeps;
  #bringing: Promise<void> = Promise.resolve();

  /** @param row how far it has got */
  constructor(path: string, row: Place, deps: PartFileDeps) {
    this.path = path;
    this.#row = { ...row };
    this.#deps = deps;
  }

  /** That are in the storage. */
  get bytes(): number {
    return this.#row.bytes;
  }

  /** Brings what is new. One after another, however often it is asked for. */
  bring(): Promise<void> {
    const bringing = this.#bringing.catch(() => undefined).then(() => this.#bring());
    this.#bringing = bringing;
    return bringing;
  }

  /** All of it is in the storage. */
  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }

  async #bring(): Promise<void> {
    const { store, storage } = this.#deps;
    const size = await stat(this.path).then(
      (found) => found.size,
      () => 0,
    );
    if (size <= this.#row.bytes) return;
    const file = await open(this.path, 'r');
    try {
      while (this.#row.bytes < size) {
        const { id, recordingId, bytes, chunks } = this.#row;
        const length = Math.min(chunkBytes, size - bytes);
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, bytes);
        // Stored first: a chunk that nobody knows of is written anew.
        await storage.put(chunkKey({ id, recordingId }, chunks), buffer.subarray(0, bytesRead));
        this.#row.bytes += bytesRead;
        this.#row.chunks++;
        await store.growPart(id, this.#row);
      }
    } finally {
      await file.close();
    }
  }
}
