import type { PartyId } from '../../sdk/protocol/party.ts';
import { documentTypeOf, typeOf } from './fileTypes.ts';
import { cleanImage, makeAvatar } from './images.ts';
import { MediaFiles } from './MediaFiles.ts';
import { Slots } from '../../platform/limits/Slots.ts';
import type { Inspected } from './Inspected.ts';

const atOnce = 2;
const maxWaiting = 100;
const maxPerWallet = 20;

/**
 * Detects the type of a file and creates a clean copy of it. The copy holds only image, video and audio data, without metadata such as
 * location and author.
 */
export class Inspector {
  readonly #slots = new Slots(atOnce, maxWaiting, maxPerWallet);
  readonly #mediaFiles: MediaFiles;

  constructor(ffmpeg: string) {
    this.#mediaFiles = new MediaFiles(ffmpeg);
  }

  /**
   * @param folder the folder for the results
   * @throws ParleyError VALIDATION_ERROR (415) if the file is not supported or cannot be read
   */
  inspect(path: string, folder: string, wallet: PartyId): Promise<Inspected> {
    return this.#slots.run(async () => {
      const type = await typeOf(path);
      return type.kind === 'image'
        ? cleanImage(path, folder, type)
        : this.#mediaFiles.clean(path, folder, type);
    }, wallet);
  }

  /** Creates a small square image from the middle of an inspected one. */
  toAvatar(path: string, folder: string, wallet: PartyId): Promise<{ path: string; pixels: number }> {
    return this.#slots.run(() => makeAvatar(path, folder), wallet);
  }

  /** Keeps a document as it is. */
  document(path: string, wallet: PartyId): Promise<Inspected> {
    return this.#slots.run(
      async () => ({
        ...{ kind: 'file', mimeType: await documentTypeOf(path), extensions: [], path },
        ...{ thumbnailPath: null, width: null, height: null, duration: null },
      }),
      wallet,
    );
  }

  /**
   * Converts speech to Opus, which every browser plays.
   * @returns its path and its duration in seconds
   */
  toOpus(
    path: string,
    folder: string,
    { mimeType, wallet }: { mimeType: string; wallet: PartyId },
  ): Promise<{ path: string; duration: number }> {
    return this.#slots.run(() => this.#mediaFiles.toOpus(path, folder, mimeType), wallet);
  }
}
