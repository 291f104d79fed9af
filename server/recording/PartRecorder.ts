import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EgressView } from '../../media/plainRtp.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import { randomBase62 } from '../../sdk/protocol/ids.ts';
import type { Source } from '../../sdk/protocol/media.ts';
import type { RecordingStore } from '../../signaling/recordings/RecordingStore.ts';
import type { ObjectStorage } from '../files/ObjectStorage.ts';
import { EgressRun, type EgressDeps, type EgressPlan } from '../streaming/EgressRun.ts';
import { hasShape, type PictureSize } from '../streaming/pictureSize.ts';
import { PartFile } from './PartFile.ts';
import { recordArgs } from './recordArgs.ts';

export interface PartDeps extends EgressDeps {
  store: RecordingStore;
  storage: ObjectStorage;
  /** The interval at which new bytes are uploaded to storage. */
  chunkMs: number;
}

/** The recorded participant. */
export interface ParticipantState {
  roomId: string;
  recordingId: string;
  identity: string;
  /** Camera and microphone, or the screen. Each of these two views is recorded to a file of its own. */
  shows: EgressView;
  wallet: PartyId;
  /** The folder of parts that are being recorded. */
  folder: string;
}

/** How often a key frame is requested. Regular key frames let players seek in the recording. */
const keyFrameEverySeconds = 5;
/** The longest wait before a failed upload of an ended part is tried again. */
const maxRetryMs = 5_000;

/**
 * One part of a participant's recording, made by one ffmpeg. The egress opens immediately, because some publishers send video only when
 * somebody receives it. Once the sources arrive, the calling code sets those to record with take().
 */
export class PartRecorder {
  /** When it began, by performance.now(). */
  readonly since = performance.now();
  /** Resolves with the number of recorded bytes when the part has ended. */
  readonly done: Promise<number>;
  readonly #participant: ParticipantState;
  readonly #deps: PartDeps;
  readonly #egress: EgressRun;
  #sources: ReadonlySet<Source> | null = null;
  #take: (sources: ReadonlySet<Source>) => void = () => undefined;
  #file: PartFile | null = null;
  /** The shape of the first picture, if it is H264. */
  #shape: PictureSize | null = null;
  #uploadTimer: NodeJS.Timeout | undefined;

  constructor(identity: ParticipantState, deps: PartDeps) {
    this.#participant = identity;
    this.#deps = deps;
    const taken = new Promise<ReadonlySet<Source>>((resolve) => (this.#take = resolve));
    const sources = taken.then((found) => this.#createPart(found));
    // The egress awaits them once it is open. Without a handler until then, a failure would end the process.
    sources.catch(() => undefined);
    const { roomId, identity: of, shows } = identity;
    const onH264Size = (size: PictureSize) => this.#onH264Size(size);
    this.#egress = new EgressRun({ roomId, of, shows, via: 'recording', sources, onH264Size }, deps);
    this.done = this.#run();
  }

  /** The recorded sources; null before take(). */
  get sources(): ReadonlySet<Source> | null {
    return this.#sources;
  }

  get peerId(): string {
    return this.#egress.peerId;
  }

  take(sources: ReadonlySet<Source>): void {
    this.#sources = sources;
    this.#take(sources);
  }

  end(): void {
    this.#egress.end();
  }

  /**
   * Uploads the rest of an ended part, then deletes the local file. While storage is unavailable, it goes on trying, because a recording is
   * joined without what is not in storage.
   */
  async store(): Promise<void> {
    for (;;) {
      try {
        await this.#file?.upload();
        return await this.#file?.remove();
      } catch (err) {
        this.#onFailedUpload(err);
        await delay(Math.min(this.#deps.chunkMs, maxRetryMs));
      }
    }
  }

  async #createPart(sources: ReadonlySet<Source>): Promise<ReadonlySet<Source>> {
    const { store, storage } = this.#deps;
    const { recordingId, wallet, shows, folder } = this.#participant;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const made = { id: randomBase62(24), recordingId, wallet, isScreen: shows === 'screen' };
    const row = await store.addPart(made);
    this.#file = new PartFile(join(folder, `${row.id}.mkv`), row, { store, storage });
    return sources;
  }

  async #run(): Promise<number> {
    try {
      await this.#egress.run(() => this.#plan());
    } finally {
      clearInterval(this.#uploadTimer);
    }
    return (await this.#file?.size()) ?? 0;
  }

  /** Ends the part when the picture is turned: the file states the size of H264 once, and some players read it only there. */
  #onH264Size(size: PictureSize): void {
    this.#shape ??= size;
    if (!hasShape(size, this.#shape)) this.end();
  }

  #onFailedUpload(err: unknown): void {
    const { recordingId } = this.#participant;
    this.#deps.log.warn({ err, recordingId }, 'uploading a part failed; it will be tried again');
  }

  #plan(): EgressPlan | null {
    const file = this.#file;
    if (!file) return null;
    const { folder } = this.#participant;
    let seconds = 0;
    return {
      args: recordArgs(basename(file.path)),
      folder,
      needsKeyFrame: () => seconds++ % keyFrameEverySeconds === 0,
      onBegun: () => {
        const upload = () => void file.upload().catch((err: unknown) => this.#onFailedUpload(err));
        this.#uploadTimer = setInterval(upload, this.#deps.chunkMs);
      },
    };
  }
}
