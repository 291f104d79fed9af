import { partyName, spokenDuration } from '@parley/react';
import type { Recording } from '@parley/sdk';

const kinds: Record<Recording['kind'], string> = { stream: 'Stream', conference: 'Room', call: 'Call' };

const failures: Record<string, string> = {
  nothing_recorded: 'No media was sent during the recording.',
  not_joined: 'The files could not be processed. The operator of this server still has the raw recording.',
  no_space: 'Your storage is full. Delete recordings that you no longer need.',
};

const limits: Record<string, string> = {
  too_long: 'It reached the maximum duration.',
  too_large: 'It reached the maximum size.',
  no_space: 'The server ran out of storage.',
};

const megabytes = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const megabyte = 1_024 * 1_024;

/** For example 12.3 MB. */
export const formatSize = (bytes: number): string => `${megabytes.format(bytes / megabyte)} MB`;

/** How the parties of a recording are called. */
export interface Naming {
  /** The reader's own address. */
  own: string;
  nameOf: (party: string) => string;
}

/** Names the parties of a recording as people are known now, or as they were called in the room, or by their short addresses. */
export function namingOf(
  own: string,
  files: Pick<Recording['files'][number], 'walletAddress' | 'displayName'>[],
  people: ReadonlyMap<string, { name: string | null }>,
): Naming {
  const then = (party: string) => files.find(({ walletAddress }) => walletAddress === party)?.displayName;
  return { own, nameOf: (party) => people.get(party)?.name ?? then(party) ?? partyName(party) };
}

/** The title of the stream or room; for a call, with whom it was. */
export function titleOf(
  { title, kind, files }: Pick<Recording, 'title' | 'kind' | 'files'>,
  naming: Naming,
): string {
  if (title || kind !== 'call') return title || kinds[kind];
  const others = new Set(
    files.map(({ walletAddress }) => walletAddress).filter((party) => party !== naming.own),
  );
  return others.size > 0 ? `Call with ${[...others].map(naming.nameOf).join(', ')}` : kinds[kind];
}

/** For example Stream · 12 min 34 s · 123.4 MB. */
export function factsOf({ kind, status, durationSeconds, sizeBytes }: Recording): string {
  const facts = [kinds[kind]];
  if (status === 'recording') facts.push('recording');
  if (status === 'processing') facts.push('processing');
  if (durationSeconds !== null && status === 'ready') facts.push(spokenDuration(durationSeconds));
  if (sizeBytes !== null && status === 'ready') facts.push(formatSize(sizeBytes));
  return facts.join(' · ');
}

/** Explains why a recording has no files, or why some are missing or cut short. */
export function hintsOf({ status, endReason, leftOut }: Recording): string[] {
  if (status === 'failed') return [failures[endReason ?? ''] ?? 'The recording failed.'];
  const hints = [limits[endReason ?? ''] ?? []].flat();
  if (leftOut > 0)
    hints.push(`There were more people than can be recorded at once. ${leftOut} may be missing.`);
  return hints;
}

/** The label of a download button. */
export function fileLabel(
  { kind }: Pick<Recording, 'kind'>,
  { walletAddress, isScreen }: Pick<Recording['files'][number], 'walletAddress' | 'isScreen'>,
  { own, nameOf }: Naming,
): string {
  if (kind === 'stream') return isScreen ? 'Download the screen' : 'Download';
  if (walletAddress === own) return isScreen ? 'Your screen' : 'You';
  const whose = nameOf(walletAddress);
  return isScreen ? `${whose}’s screen` : whose;
}
