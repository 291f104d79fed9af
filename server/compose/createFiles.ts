import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { isMessageOf } from '../../signaling/messages/isMessageOf.ts';
import { isRecordingOf } from '../../signaling/recordings/RecordingStore.ts';
import { isVoicemailTo } from '../../signaling/voicemail/VoicemailStore.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../../platform/database/database.ts';
import { Addresses } from '../files/addresses.ts';
import { createStorage, type StorageSettings } from './createStorage.ts';
import { FileQuotas } from '../files/FileQuotas.ts';
import { FileService } from '../files/FileService.ts';
import { FileStore } from '../files/FileStore.ts';
import { Inspector } from '../files/Inspector.ts';
import type { FileServices } from '../files/routes.ts';
import { Uploads } from '../files/Uploads.ts';
import type { Secrets } from '../../platform/secrets.ts';

interface FilesDeps {
  config: StorageSettings &
    Pick<
      Config,
      | 'ROLES'
      | 'FFMPEG_BIN'
      | 'FILE_ADDRESS_SECONDS'
      | 'FILE_UPLOAD_SECONDS'
      | 'FILES_MEGABYTES_PER_WALLET'
      | 'FILES_MEGABYTES'
    >;
  db: Database;
  secrets: Secrets;
  /** Not started yet: handlers are registered here. */
  jobs: ScheduledJobs;
  publicUrl: string;
  log: Logger;
}

const megabyte = 1024 * 1024;

/**
 * Creates the parts for media files.
 * @returns null on a node with only the role media, and if the nodes share no storage, in which case uploads answer 503
 */
export async function createFiles({
  config,
  db,
  secrets,
  jobs,
  publicUrl,
  log,
}: FilesDeps): Promise<FileServices | null> {
  // A node with only the role media gets no requests about files.
  if (config.ROLES.every((role) => role === 'media')) return null;
  const storage = await createStorage(config, log);
  if (!storage) {
    log.warn('uploads disabled: the nodes of a cluster need S3_BUCKET or a shared FILES_DIR');
    return null;
  }
  const quotas = new FileQuotas({
    perWallet: config.FILES_MEGABYTES_PER_WALLET * megabyte,
    installation: config.FILES_MEGABYTES === 0 ? Infinity : config.FILES_MEGABYTES * megabyte,
  });
  const store = new FileStore(db, quotas, log);
  const keepMs = config.FILE_UPLOAD_SECONDS * 1_000;
  const addresses = new Addresses({
    publicUrl,
    key: secrets.derive('addresses of files'),
    seconds: config.FILE_ADDRESS_SECONDS,
  });
  const uploads = new Uploads({ store, storage, jobs, keepMs });
  const inspector = new Inspector(config.FFMPEG_BIN);
  const workDir = await emptyFolder(join(config.DATA_DIR, 'work'));
  const files = new FileService({ store, storage, uploads, inspector, addresses, jobs, workDir, log });
  files.addReaders((fileId, wallet) => isMessageOf(db, fileId, wallet));
  files.addReaders((fileId, wallet) => isVoicemailTo(db, fileId, wallet));
  files.addReaders((fileId, wallet) => isRecordingOf(db, fileId, wallet));
  return { files, uploads, addresses, storage };
}

/** Empties a work folder, which may still hold files of a process that was killed. */
async function emptyFolder(path: string): Promise<string> {
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true, mode: 0o700 });
  return path;
}
