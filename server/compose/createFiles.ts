import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { isMessageOf } from '../../signaling/messages/MessageStore.ts';
import { isRecordingOf } from '../../signaling/recordings/RecordingStore.ts';
import { isVoicemailTo } from '../../signaling/voicemail/VoicemailStore.ts';
import type { Config } from '../config/config.ts';
import { Addresses } from '../files/addresses.ts';
import type { Parts } from './Parts.ts';
import { FileQuotas } from '../files/FileQuotas.ts';
import { FileService } from '../files/FileService.ts';
import { FileStore } from '../files/FileStore.ts';
import { FolderStorage } from '../files/FolderStorage.ts';
import { Inspector } from '../files/Inspector.ts';
import type { ObjectStorage } from '../files/ObjectStorage.ts';
import type { FileServices } from '../files/routes.ts';
import type { S3Storage } from '../files/S3Storage.ts';
import { Uploads } from '../files/Uploads.ts';
import { prepareFolder } from '../installation/prepareFolder.ts';

const megabyte = 1024 * 1024;

/**
 * Creates the parts for media files.
 * @returns null on a node with only the role media, and if the nodes share no storage, in which case uploads answer 503
 */
export async function createFiles(
  parts: Pick<Parts, 'config' | 'db' | 'secrets' | 'jobs' | 'publicUrl' | 'log'>,
): Promise<FileServices | null> {
  const { config, db, secrets, jobs, publicUrl, log } = parts;
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
    keys: secrets.keys('addresses of files'),
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
export async function emptyFolder(path: string): Promise<string> {
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true, mode: 0o700 });
  return path;
}

/** Opens the configured file storage. @returns null on a node of a cluster without shared storage */
async function createStorage(config: Config, log: Logger): Promise<ObjectStorage | null> {
  if (usesBucket(config)) return openBucket(config, log);
  const folder = filesFolder(config);
  if (folder === null) return null;
  if (config.FILES_DIR !== undefined) await prepareFolder(folder, { setting: 'FILES_DIR', mode: 0o700 });
  return FolderStorage.open(folder);
}

/** Whether files are stored in S3. */
export const usesBucket = ({ FILES_DRIVER: named, S3_BUCKET: bucket }: Config): boolean =>
  named === 's3' || (named === undefined && bucket !== undefined);

/** Opens the bucket of the files. */
export async function openBucket(config: Config, log: Logger): Promise<S3Storage> {
  // readConfig() has already checked that these are set.
  const { S3_BUCKET: bucket = '', S3_ACCESS_KEY_ID: accessKeyId = '', S3_SECRET_ACCESS_KEY = '' } = config;
  const { S3_ENDPOINT: endpoint, S3_REGION: region } = config;
  // Loaded only if used: the S3 client takes as long to load as all other code for files.
  const { S3Storage } = await import('../files/S3Storage.ts');
  const keys = { accessKeyId, secretAccessKey: S3_SECRET_ACCESS_KEY };
  return S3Storage.open({ endpoint, region, bucket, ...keys }, log);
}

/** The folder of the files; null if they are in S3, or on a node of a cluster without a shared folder. */
export function filesFolder(config: Config): string | null {
  if (usesBucket(config)) return null;
  if (config.FILES_DIR !== undefined) return config.FILES_DIR;
  return config.REDIS_URL === undefined ? join(config.DATA_DIR, 'files') : null;
}
