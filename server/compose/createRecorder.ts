import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { MediaCluster } from '../../media/MediaCluster.ts';
import { RecordingStore } from '../../signaling/recordings/RecordingStore.ts';
import type { RecordingLimits } from '../../signaling/recordings/RecordingDeps.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { OwnNode } from '../../platform/node/OwnNode.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../../platform/database/database.ts';
import type { FileServices } from '../files/routes.ts';
import type { FfmpegSlots } from '../streaming/FfmpegSlots.ts';
import { MediaRecorder } from '../recording/MediaRecorder.ts';

interface RecorderOptions {
  config: Pick<
    Config,
    | 'DATA_DIR'
    | 'FFMPEG_BIN'
    | 'RECORDING_CHUNK_SECONDS'
    | 'RECORDING_FREE_MEGABYTES'
    | 'RECORDING_MAX_MEGABYTES'
    | 'RECORDING_MAX_PEOPLE'
    | 'RECORDING_MAX_SECONDS'
    | 'RECORDINGS_MEGABYTES_PER_WALLET'
  >;
  db: Database;
  node: OwnNode;
  jobs: ScheduledJobs;
  media: MediaCluster;
  /** Null if the server has no file storage. Then recordings cannot be stored either. */
  files: FileServices | null;
  slots: FfmpegSlots;
  /** The address and ports at which the recorder receives media from other nodes. */
  listen: { ip: string; ports: { min: number; max: number } };
  log: Logger;
}

const megabyte = 1024 * 1024;

/** Creates the recorder and its limits. Only nodes with signalling have one. */
export async function createRecorder({
  config,
  db,
  node,
  jobs,
  media,
  files,
  slots,
  listen,
  log,
}: RecorderOptions): Promise<{
  recorder: MediaRecorder | null;
  limits: RecordingLimits;
}> {
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
