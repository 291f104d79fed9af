import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaCluster } from '../../media/MediaCluster.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { randomBase62 } from '../../sdk/protocol/ids.ts';
import type { WireMediaInfo } from '../../sdk/protocol/files.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { ActiveRecording, Recorder } from '../../signaling/recordings/Recorder.ts';
import type { PartRow, RecordingRow } from '../../signaling/recordings/tables.ts';
import type { FileService } from '../files/FileService.ts';
import { FolderStorage } from '../files/FolderStorage.ts';
import { Slots } from '../../platform/limits/Slots.ts';
import { freeBytes, hasRoomFor } from '../../platform/system/diskRoom.ts';
import { chunkKey } from './chunkKey.ts';
import { joinParts, type JoinedFile } from './joinParts.ts';
import { PartFile } from './PartFile.ts';
import { RoomRecorder, type RoomDeps } from './RoomRecorder.ts';

export interface RecorderDeps extends RoomDeps {
  media: Pick<MediaCluster, 'room' | 'on'>;
  files: FileService;
  /** The folder of parts that are being recorded. Its files are kept when the process ends. */
  folder: string;
  /** The folder for temporary files while parts are joined. */
  workDir: string;
  minFreeBytes: number;
}

/** The maximum number of recordings that are joined at the same time. The disk is the bottleneck. */
const joinedAtOnce = 1;
const processIdLength = 12;
const processName = new RegExp(`^\\w{${processIdLength}}$`);

/** Records rooms with ffmpeg and joins the parts into files. */
export class MediaRecorder implements Recorder {
  readonly #deps: RecorderDeps;
  readonly #rooms = new Map<string, RoomRecorder>();
  /** The name of this process's folder, which keeps its parts apart from those of earlier processes. */
  readonly #processId = randomBase62(processIdLength);
  readonly #slots = new Slots(joinedAtOnce, Infinity);

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
    const { media } = deps;
    const onLost = (roomId: string, peerIds: string[]) => {
      for (const room of this.#of(roomId)) {
        for (const peerId of peerIds) room.onEgressLost(peerId);
        room.update();
      }
    };
    const idsOf = (peers: { peerId: string }[]) => peers.map(({ peerId }) => peerId);
    media.on('egressChanged', ({ roomId, to }) => onLost(roomId, [to.peerId]));
    media.on('roomRestarted', ({ roomId, lost }) => onLost(roomId, idsOf(lost)));
    media.on('eventsMissed', ({ roomId, peers }) => onLost(roomId, idsOf(peers)));
    media.on('roomMoving', ({ roomId, peers }) => onLost(roomId, idsOf(peers)));
  }

  begin(recording: RecordingRow): ActiveRecording {
    const { id } = recording;
    const room = new RoomRecorder(recording, join(this.#deps.folder, this.#processId, id), this.#deps);
    this.#rooms.set(id, room);
    return {
      leftOut: room.leftOut,
      stop: async () => {
        await room.stop();
        this.#rooms.delete(id);
      },
    };
  }

  finish(recording: RecordingRow): ReturnType<Recorder['finish']> {
    return this.#slots.run(() => this.#finish(recording));
  }

  async discardParts(recordingId: string): Promise<void> {
    const { store, storage } = this.#deps;
    for (const part of await store.partsOf(recordingId)) {
      // One chunk more than counted, because the process may have died between storing a chunk and counting it.
      for (let number = 0; number <= part.chunks; number++) await storage.delete(chunkKey(part, number));
    }
  }

  async recover(): Promise<Set<string>> {
    const { folder } = this.#deps;
    const nodeIds = new Set<string>();
    for (const processId of await readdir(folder)) {
      // A disk of its own also has other folders here, such as lost+found.
      if (processId === this.#processId || !processName.test(processId)) continue;
      for (const recordingId of await readdir(join(folder, processId)))
        await this.#recover(recordingId, join(folder, processId, recordingId), nodeIds);
      await rm(join(folder, processId), { recursive: true, force: true });
    }
    return nodeIds;
  }

  async hasSpace(): Promise<boolean> {
    return (await freeBytes(this.#deps.folder)) > this.#deps.minFreeBytes;
  }

  describe(fileIds: string[]): Promise<Map<string, WireMediaInfo>> {
    return this.#deps.files.describe(fileIds);
  }

  discardFile(tx: Executor, fileId: string): Promise<void> {
    return this.#deps.files.discard(tx, fileId);
  }

  async #recover(recordingId: string, partsFolder: string, nodeIds: Set<string>): Promise<void> {
    const { store, storage } = this.#deps;
    const recording = await store.find(recordingId);
    // Another node has finished the recording, or it was deleted. Its parts are not needed.
    if (recording?.status !== 'recording' && recording?.status !== 'processing') return;
    for (const name of await readdir(partsFolder)) {
      const part = await store.part(name.replace(/\.mkv$/, ''));
      if (!part) continue;
      await new PartFile(join(partsFolder, name), part, { store, storage }).upload();
      nodeIds.add(part.node);
    }
  }

  async #finish(recording: RecordingRow): ReturnType<Recorder['finish']> {
    const { store, storage, ffmpeg, workDir } = this.#deps;
    const parts = await store.partsOf(recording.id);
    await this.#checkRoomFor(parts);
    const folder = await mkdtemp(join(workDir, 'recording-'));
    try {
      // The recording of a stream has no gap for the time in which its publisher was away.
      const keepsGaps = recording.kind !== 'stream';
      const joined = await joinParts(parts, { folder, keepsGaps }, { storage, ffmpeg });
      if (joined.length === 0) return null;
      return await this.#store(recording, joined);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /**
   * Joining needs room for the parts, for the joined files and, if the storage is a folder, for their copy there.
   * @throws ParleyError SERVICE_UNAVAILABLE if less than the required free space would be left. If less is free already, half of it may be
   *   used, so that a recording that ended for lack of space can be joined
   */
  async #checkRoomFor(parts: PartRow[]): Promise<void> {
    const { storage, workDir, minFreeBytes } = this.#deps;
    const copies = storage instanceof FolderStorage ? 3 : 2;
    const needed = copies * parts.reduce((sum, { bytes }) => sum + bytes, 0);
    if (await hasRoomFor(needed, workDir, minFreeBytes)) return;
    const megabytes = Math.ceil(needed / 1024 / 1024);
    throw new ParleyError(
      'SERVICE_UNAVAILABLE',
      `The disk has no room to join this recording, which takes ${megabytes} MB in DATA_DIR. It is joined once there is room.`,
    );
  }

  async #store(recording: RecordingRow, joined: JoinedFile[]) {
    const { store, files } = this.#deps;
    const { id: recordingId, host } = recording;
    const firstStart = Math.min(...joined.map(({ startedAt }) => startedAt.getTime()));
    const startOf = ({ startedAt }: JoinedFile) => (startedAt.getTime() - firstStart) / 1_000;
    // The rows are stored before the bytes. If this process dies in between, the next run finds and removes the rows.
    const reserved = await store.transaction(async (executor) => {
      for (const { fileId } of await store.filesOf([recordingId])) await files.discard(executor, fileId);
      await store.removeFiles(executor, recordingId);
      const reservedFiles: { file: JoinedFile; fileId: string }[] = [];
      for (const file of joined) {
        const fileId = await files.reserve(executor, { wallet: host, name: nameOf(recording, file) });
        const { wallet, displayName, isScreen } = file;
        const startSeconds = startOf(file);
        await store.addFile(executor, { recordingId, fileId, wallet, displayName, isScreen, startSeconds });
        reservedFiles.push({ file, fileId });
      }
      return reservedFiles;
    });
    let sizeBytes = 0;
    for (const { file, fileId } of reserved) {
      const {
        wallet: _wallet,
        displayName: _name,
        isScreen: _isScreen,
        startedAt: _startedAt,
        ...made
      } = file;
      sizeBytes += await files.fill(fileId, made);
    }
    const ends = joined.map((file) => startOf(file) + (file.duration ?? 0));
    return { durationSeconds: Math.max(...ends), sizeBytes };
  }

  *#of(roomId: string): Iterable<RoomRecorder> {
    for (const room of this.#rooms.values()) if (room.roomId === roomId) yield room;
  }
}

function nameOf({ title, kind }: RecordingRow, { isScreen }: JoinedFile): string {
  const name = title.replace(/[<>:"/\\|?*\p{C}]/gu, '_').trim() || kind;
  return isScreen ? `${name} (screen)` : name;
}
