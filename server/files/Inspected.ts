import type { FileKind } from '../../sdk/protocol/files.ts';

/** What became of an upload: files in the folder it was looked at in. */

export interface Inspected {
  kind: FileKind;
  mimeType: string;
  /** Endings a file of this type has, the usual one first. */
  extensions: string[];
  path: string;
  thumbnailPath: string | null;
  width: number | null;
  height: number | null;
  /** Seconds. */
  duration: number | null;
}
