import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EgressView } from '../../media/plainRtp.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import { randomBase62 } from '../../sdk/protocol/ids.ts';
import type { Source } from '../../sdk/protocol/media.ts';
import type { RecordingStore } from '../../signaling/recordings/RecordingStore.ts';
import type { ObjectStorage } from '../files/ObjectStorage.ts';
import { EgressRun, type EgressDeps, type EgressPlan } from '../streaming/EgressRun.ts';
import { PartFile } from './PartFile.ts';
import { recordArgs } from './recordArgs.ts';

export interface PartDeps extends EgressDeps {
  store: RecordingStore;
  storage: ObjectStorage;
  /** How often what was written is brought into the storage. */
  chunkMs: number;
}

/** Who is recorded, and what of them. */
export interface ParticipantState {
  roomId: string;
  recordingId: string;
  identity: string;
  /** Their camera and microphone, or their screen: each is a film. */
  shows: EgressView;
  wallet: Address;
  /** Where its files grow. */
  folder: string;
}

/** A recording is to be sought in. */
const keyFrameEverySeconds = 5;
const bringAttempts = 10;
const bringAgainMs = 2_000;

/**
 * One part of somebody's film, from one ffmpeg. What they send is asked for at once, since some send a picture only when somebody looks at
 * it; what is recorded of it is said when it comes (take).
 */
export class PartRecorder {
  readonly since = Date.now();
  /** When it has ended, and all of it is in the storage. @returns its bytes */
  readonly done: Promise<number>;
  readonly #participant: ParticipantState;
  readonly #deps: PartDeps;
  readonly #egress: EgressRun;
  #sources: ReadonlySet<Source> | null = null;
  #take: (sources: ReadonlySet<Source>) => void = () => undefined;
  #file: PartFile | null = null;
  #bringing: NodeJS.Timeout | undefined;

  constructor(identity: ParticipantState, deps: PartDeps) {
    this.#participant = identity;
    this.#deps = deps;
    const taken = new Promise<ReadonlySet<Source>>((resolve) => (this.#take = resolve));
    const sources = taken.then((found) => this.#make(found));
    const { roomId, identity: of, shows } = identity;
    this.#egress = new EgressRun({ roomId, of, shows, via: 'recording', sources }, deps);
    this.done = this.#run();
  }

  /** What it records; null until that is said. */
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

  async #make(sources: ReadonlySet<Source>): Promise<ReadonlySet<Source>> {
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
      clearInterval(this.#bringing);
      if (this.#file) await bringAll(this.#file);
    }
    return this.#file?.bytes ?? 0;
  }

  #plan(): EgressPlan | null {
    const file = this.#file;
    if (!file) return null;
    const { chunkMs, log } = this.#deps;
    const { folder, recordingId } = this.#participant;
    let seconds = 0;
    return {
      ...{ args: recordArgs(basename(file.path)), folder },
      needsKeyFrame: () => seconds++ % keyFrameEverySeconds === 0,
      onBegun: () => {
        const failed = (err: unknown) => log.warn({ err, recordingId }, 'not brought into the storage yet');
        this.#bringing = setInterval(() => void file.bring().catch(failed), chunkMs);
      },
    };
  }
}

/** Where the storage stays away, the next life of this node brings it. */
async function bringAll(file: PartFile): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await file.bring();
      return await file.remove();
    } catch (error) {
      if (attempt === bringAttempts) throw error;
      await delay(bringAgainMs);
    }
  }
}
