import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';

interface EntryOptions {
  compress: boolean;
  /** Called when all of the entry was read. */
  onRead?: () => void;
}

/** A ZIP archive, which is written while its entries are read. Call end() in the same turn as the constructor. */
export class Archive {
  readonly #zip = new yazl.ZipFile();
  readonly #written: Promise<void>;
  /** The entry that is being read. */
  #current: Readable | null = null;
  #isOver = false;

  constructor(target: Writable) {
    const output = this.#zip.outputStream as Readable;
    this.#zip.on('error', (err: Error) => output.destroy(err));
    // If the target fails, nobody reads the entry to its end, and what it reads from would stay open.
    this.#written = pipeline(output, target).finally(() => {
      this.#isOver = true;
      this.#current?.destroy();
    });
  }

  addText(name: string, text: string): void {
    this.#zip.addBuffer(Buffer.from(text), name);
  }

  /** @param open is called when the entries before it are written */
  add(name: string, open: () => Promise<Readable>, { compress, onRead = () => {} }: EntryOptions): void {
    const fail = (err: unknown) => void this.#zip.emit('error', err);
    this.#zip.addReadStreamLazy(name, { compress }, (take) => {
      open().then((stream) => {
        stream.on('error', fail);
        stream.on('end', onRead);
        this.#current = stream;
        if (this.#isOver) stream.destroy();
        else take(null, stream);
      }, fail);
    });
  }

  /** Resolves when all entries are written. @throws the error of an entry or of the target. The entry is closed then */
  end(): Promise<void> {
    this.#zip.end();
    return this.#written;
  }
}
