import { useRandomValues } from '../../protocol/ids.ts';
import { invalid } from '../connection/guard.ts';

/** A file of a phone, by its address, as the pickers of React Native return it. */
export interface FileAddress {
  /** The address: `file://…`, `content://…`, `ph://…`, or `https://…`. */
  uri: string;
  /** The MIME type. Has no effect: the server determines the type from the content. */
  type?: string | null;
  /** The file name. @default none */
  name?: string | null;
}

/** Anything that can be uploaded: a Blob or File, bytes, or the address of a file. */
export type UploadFile = Blob | Uint8Array | FileAddress;

/** Records the microphone once, for a runtime without MediaRecorder. */
export interface AudioRecorder {
  /**
   * Opens the microphone and starts.
   * @returns the microphone's stream, or nothing if the recorder has none
   * @throws Error if the microphone cannot be opened. A ParleyError reaches the app as it is
   */
  start(): Promise<MediaStream | undefined>;
  /**
   * Stops and closes the microphone. Called once, also when the recording is cancelled.
   * @returns the recording
   * @throws Error if the recording failed
   */
  stop(): Promise<UploadFile>;
}

/**
 * A browser's localStorage or sessionStorage, or an object with the same methods. They may return promises, like those of React Native's
 * AsyncStorage.
 */
export interface SessionStorage {
  /**
   * Reads an item.
   * @param key the name of the item
   * @returns the text, or null if there is no such item
   * @throws Error if the storage is forbidden. The client then works without it
   */
  getItem(key: string): string | null | Promise<string | null>;
  /**
   * Writes an item.
   * @param key the name of the item
   * @param value the text
   * @returns nothing, or a promise that resolves when the item is stored
   * @throws Error if the storage is full or forbidden. The client then works without it
   */
  setItem(key: string, value: string): unknown;
  /**
   * Removes an item.
   * @param key the name of the item
   * @returns nothing, or a promise that resolves when the item is removed
   * @throws Error if the storage is forbidden. The client then works without it
   */
  removeItem(key: string): unknown;
}

/**
 * What a runtime supplies in place of functions of browsers that it lacks. Browsers and Node need none of it; `@parley/react-native` has
 * all of it for React Native.
 */
export interface PlatformOptions {
  /** Fills an array with random bytes. All clients of the process use it. @default crypto.getRandomValues */
  getRandomValues?: (bytes: Uint8Array<ArrayBuffer>) => unknown;
  /**
   * The origin of this app, for sign-in messages, and the server's URL if there is no `baseUrl`. null if the app has none: sign-in messages
   * then have the origin of the server. @default the origin of the page, or null outside a browser
   */
  origin?: string | null;
  /** Reads a file by its address, for uploads. @default fetch */
  readFile?: (file: FileAddress) => Promise<Blob>;
  /** Creates a recorder for voicemails. @default MediaRecorder, with the microphone of `media.getUserMedia` */
  createRecorder?: () => AudioRecorder;
}

/** The page or app that a client runs in. */
type Page = Pick<Location, 'origin' | 'protocol' | 'host'>;

/**
 * The functions of the runtime that differ between browsers, Node and React Native. Globals are looked up when they are used, so that
 * creating a client needs none of them.
 */
export class Platform {
  readonly #options: PlatformOptions;

  /** @throws ParleyError VALIDATION_ERROR if `platform` is not an object */
  constructor(options: PlatformOptions = {}) {
    if (typeof options !== 'object' || (options as unknown) === null)
      throw invalid('platform', 'Parley: platform must be an object, such as { origin: null }.');
    this.#options = options;
    if (options.getRandomValues) useRandomValues(options.getRandomValues);
  }

  /** The page that this client runs in; null if there is none. */
  get page(): Page | null {
    const { origin } = this.#options;
    if (origin === undefined) return (globalThis as { location?: Page }).location ?? null;
    const [protocol = '', host = ''] = (origin ?? '').split('//');
    return origin === null ? null : { origin, protocol, host };
  }

  /** Whether this is a page of a browser, with a document. */
  get hasDocument(): boolean {
    return typeof document !== 'undefined';
  }

  /** Whether mediasoup-client may know the WebRTC of this runtime: that of a browser or of react-native-webrtc. */
  get hasKnownWebRtc(): boolean {
    const { navigator } = globalThis as { navigator?: { product?: string } };
    return this.hasDocument || navigator?.product === 'ReactNative';
  }

  /** The app's own recorder, if it has one. */
  get createRecorder(): (() => AudioRecorder) | undefined {
    return this.#options.createRecorder;
  }

  /** Reads a file by its address. @throws ParleyError VALIDATION_ERROR if it cannot be read */
  async readFile(file: FileAddress): Promise<Blob> {
    try {
      return await (this.#options.readFile ?? fetchFile)(file);
    } catch (cause) {
      const error = invalid('file', `The file at ${file.uri} cannot be read: ${String(cause)}`);
      throw Object.assign(error, { cause });
    }
  }
}

async function fetchFile({ uri }: FileAddress): Promise<Blob> {
  const answer = await fetch(uri);
  // The address of a local file has the status 0 in some versions of React Native.
  if (!answer.ok && answer.status !== 0) throw new Error(`status ${answer.status}`);
  return answer.blob();
}
