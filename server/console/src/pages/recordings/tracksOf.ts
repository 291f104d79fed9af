import type { Recording } from '@parley/sdk';
import { fileLabel, type Naming } from './describeRecording.ts';

/** What can be watched of a recording: one participant or one shared screen. */
export interface Track {
  label: string;
  /** One after another, these files are the film. */
  files: Recording['files'];
}

/** The tracks of a recording, in the order in which they start. */
export function tracksOf({ kind, files }: Pick<Recording, 'kind' | 'files'>, naming: Naming): Track[] {
  const tracks = new Map<string, Track>();
  for (const file of files.toSorted((one, other) => one.startSeconds - other.startSeconds)) {
    const key = `${file.walletAddress} ${file.isScreen}`;
    const label =
      kind === 'stream' ? (file.isScreen ? 'Screen' : 'Camera') : fileLabel({ kind }, file, naming);
    const track = tracks.get(key) ?? { label, files: [] };
    track.files.push(file);
    tracks.set(key, track);
  }
  return [...tracks.values()];
}
