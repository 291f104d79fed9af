import { accessSync, constants, statSync } from 'node:fs';

/** Whether this user may read the file at a path. In place of a file that is missing, Docker mounts an empty folder. */
export function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return !statSync(path).isDirectory();
  } catch {
    return false;
  }
}
