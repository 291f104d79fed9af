import type { FileKind } from '../../sdk/protocol/files.ts';

/** The result of an inspection. `path` and `thumbnailPath` are in the folder that inspect() was given. */
export interface Inspected {
  kind: FileKind;
  mimeType: string;
  /** The extensions of this type, the usual one first. Empty for a document, which keeps its name. */
  extensions: string[];
  path: string;
  thumbnailPath: string | null;
  width: number | null;
  height: number | null;
  /** Seconds. */
  duration: number | null;
}
