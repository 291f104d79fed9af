import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../ConfigError.ts';

/** A file in DATA_DIR while a backup is restored into it. */
export const restoreMarker = 'restore.incomplete';

/** @throws {ConfigError} if a restore into DATA_DIR was interrupted or still runs */
export function refuseIncompleteRestore(dataDir: string): void {
  if (!existsSync(join(dataDir, restoreMarker))) return;
  throw new ConfigError([
    `DATA_DIR: a restore into ${dataDir} is running or was interrupted. Wait for its end, or empty the folder and restore again`,
  ]);
}
