import { open, rm, stat } from 'node:fs/promises';
import type { RecordingStore } from '../../signaling/recordings/RecordingStore.ts';
import type { PartRow } from '../../signaling/recordings/tables.ts';
import type { ObjectStorage } from '../files/ObjectStorage.ts';
import { chunkKey } from './chunkKey.ts';

interface PartFileDeps {
  store: RecordingStore;
  storage: ObjectStorage;
}

type UploadState = Pick<PartRow, 'id' | 'recordingId' | 'bytes' | 'chunks'>;

const chunkBytes = 8 * 1024 * 1024;

/**
 * A part that is being recorded on this node, and its copy in storage. Written bytes never change, so only new bytes are uploaded, in
 * chunks.
 */
export class PartFile {
  readonly path: string;
  readonly #row: UploadState;
  readonly #deps: PartFileDeps;
  #uploading: Promise<void> = Promise.resolve();

  /** @param row the uploaded bytes and chunks so far */
  constructor(path: string, row: UploadState, deps: PartFileDeps) {
    this.path = path;
    this.#row = { ...row };
    this.#deps = deps;
  }

  /** The bytes on the disk; 0 if the file does not exist. */
  size(): Promise<number> {
    return stat(this.path).then(
      ({ size }) => size,
      () => 0,
    );
  }

  /** Uploads new bytes. Concurrent calls run one after the other. */
  upload(): Promise<void> {
    const uploading = this.#uploading.catch(() => undefined).then(() => this.#upload());
    this.#uploading = uploading;
    return uploading;
  }

  /** Deletes the local file. Call this only when all of it is in storage. */
  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }

  async #upload(): Promise<void> {
    const { store, storage } = this.#deps;
    const size = await this.size();
    if (size <= this.#row.bytes) return;
    const file = await open(this.path, 'r');
    try {
      while (this.#row.bytes < size) {
        const { id, recordingId, bytes, chunks } = this.#row;
        const length = Math.min(chunkBytes, size - bytes);
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, bytes);
        // The chunk is stored before it is counted. A chunk that was stored but not counted is written again.
        await storage.put(chunkKey({ id, recordingId }, chunks), buffer.subarray(0, bytesRead));
        const grown = { bytes: bytes + bytesRead, chunks: chunks + 1 };
        await store.growPart(id, grown);
        Object.assign(this.#row, grown);
      }
    } finally {
      await file.close();
    }
  }
}
