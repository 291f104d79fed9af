import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaCluster } from '../../media/MediaCluster.ts';
import { RecordingStore } from '../../signaling/recordings/RecordingStore.ts';
import type { RecordingLimits } from '../../signaling/recordings/RecordingDeps.ts';
import type { OwnNode } from '../../platform/node/OwnNode.ts';
import type { FileServices } from '../files/routes.ts';
import type { FfmpegSlots } from '../streaming/FfmpegSlots.ts';
import type { Parts } from './Parts.ts';
import { MediaRecorder } from '../recording/MediaRecorder.ts';

interface RecorderOptions extends Pick<Parts, 'config' | 'db' | 'jobs' | 'log'> {
  node: OwnNode;
  media: MediaCluster;
  /** Null if the server has no file storage. Then recordings cannot be stored either. */
  files: FileServices | null;
  slots: FfmpegSlots;
  /** The address and ports at which the recorder receives media from other nodes. */
  listen: { ip: string; ports: { min: number; max: number } };
}

const megabyte = 1024 * 1024;

/** Creates the recorder and its limits. Only nodes with signalling have one. */
export async function createRecorder(
  options: RecorderOptions,
): Promise<{ recorder: MediaRecorder | null; limits: RecordingLimits }> {
  const { config, db, node, jobs, media, files, slots, listen, log } = options;
  const limits = {
    maxSeconds: config.RECORDING_MAX_SECONDS,
    maxBytes: config.RECORDING_MAX_MEGABYTES * megabyte,
    maxBytesPerWallet: config.RECORDINGS_MEGABYTES_PER_WALLET * megabyte,
  };
  if (!files) return { recorder: null, limits };
  const folder = join(config.DATA_DIR, 'recordings');
  const workDir = join(config.DATA_DIR, 'work');
  for (const path of [folder, workDir]) await mkdir(path, { recursive: true, mode: 0o700 });
  const recorder = new MediaRecorder({
    media,
    listen,
    slots,
    log,
    folder,
    workDir,
    ffmpeg: config.FFMPEG_BIN,
    files: files.files,
    storage: files.storage,
    store: new RecordingStore({ db, node, jobs, log }),
    chunkMs: config.RECORDING_CHUNK_SECONDS * 1_000,
    fileLimit: config.RECORDING_MAX_PEOPLE,
    minFreeBytes: config.RECORDING_FREE_MEGABYTES * megabyte,
  });
  return { recorder, limits };
}
