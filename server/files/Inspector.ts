import type { Address } from '../../sdk/protocol/common.ts';
import { typeOf } from './fileTypes.ts';
import { cleanImage } from './images.ts';
import { MediaFiles } from './MediaFiles.ts';
import { Slots } from '../../platform/limits/Slots.ts';
import type { Inspected } from './Inspected.ts';

const atOnce = 2;
const mostWaiting = 100;
const mostOfWallet = 20;

/** Finds out what a file is, and makes a clean one of it: nothing in it but picture and sound, not where and by whom it was taken. */
export class Inspector {
  readonly #slots = new Slots(atOnce, mostWaiting, mostOfWallet);
  readonly #mediaFiles: MediaFiles;

  constructor(ffmpeg: string) {
    this.#mediaFiles = new MediaFiles(ffmpeg);
  }

  /** @param folder where it may write @throws ParleyError VALIDATION_ERROR (415) for what is not taken or can't be read */
  inspect(path: string, folder: string, wallet: Address): Promise<Inspected> {
    return this.#slots.run(async () => {
      const type = await typeOf(path);
      return type.kind === 'image'
        ? cleanImage(path, folder, type)
        : this.#mediaFiles.clean(path, folder, type);
    }, wallet);
  }

  /** Speech as every browser plays it. @returns its path and its length in seconds */
  toOpus(
    path: string,
    folder: string,
    { mimeType, wallet }: { mimeType: string; wallet: Address },
  ): Promise<{ path: string; duration: number }> {
    return this.#slots.run(() => this.#mediaFiles.toOpus(path, folder, mimeType), wallet);
  }
}
