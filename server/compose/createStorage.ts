import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { FolderStorage } from '../files/FolderStorage.ts';
import type { ObjectStorage } from '../files/ObjectStorage.ts';

export type StorageSettings = Pick<
  Config,
  | 'DATA_DIR'
  | 'FILES_DIR'
  | 'FILES_DRIVER'
  | 'REDIS_URL'
  | 'S3_ACCESS_KEY_ID'
  | 'S3_BUCKET'
  | 'S3_ENDPOINT'
  | 'S3_REGION'
  | 'S3_SECRET_ACCESS_KEY'
>;

/** Opens the configured file storage. @returns null on a node of a cluster without shared storage */
export async function createStorage(config: StorageSettings, log: Logger): Promise<ObjectStorage | null> {
  const { FILES_DRIVER: named, S3_BUCKET: bucket } = config;
  if (named === 's3' || (named === undefined && bucket !== undefined)) {
    // readConfig() has already checked that these are set.
    const { S3_ACCESS_KEY_ID: accessKeyId = '', S3_SECRET_ACCESS_KEY: secretAccessKey = '' } = config;
    const { S3_ENDPOINT: endpoint, S3_REGION: region } = config;
    // Loaded only if used: the S3 client takes as long to load as all other code for files.
    const { S3Storage } = await import('../files/S3Storage.ts');
    return S3Storage.open({ endpoint, region, bucket: bucket ?? '', accessKeyId, secretAccessKey }, log);
  }
  if (config.FILES_DIR !== undefined) return FolderStorage.open(config.FILES_DIR);
  return config.REDIS_URL === undefined ? FolderStorage.open(join(config.DATA_DIR, 'files')) : null;
}
