import type { Recording } from '@parley/sdk';
import { spokenDuration } from '../../ui/format.ts';

const kinds: Record<Recording['kind'], string> = { stream: 'Stream', conference: 'Room', call: 'Call' };

const failures: Record<string, string> = {
  nothing_recorded: 'Nothing was sent while it ran.',
  not_joined: 'It could not be put together. Whoever runs the server still has what was recorded.',
  no_space: 'There was no space for it. Delete recordings that you no longer need.',
};

const megabytes = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const megabyte = 1_024 * 1_024;

/** 12.3 MB */
export const sizeWords = (bytes: number): string => `${megabytes.format(bytes / megabyte)} MB`;

export const titleOf = ({ title, kind }: Recording): string => title || kinds[kind];

/** Stream · 12 min 34 s · 123.4 MB */
export function factsOf({ kind, status, durationSeconds, sizeBytes }: Recording): string {
  const facts = [kinds[kind]];
  if (status === 'recording') facts.push('being recorded');
  if (status === 'processing') facts.push('being made ready');
  if (durationSeconds !== null && status === 'ready') facts.push(spokenDuration(durationSeconds));
  if (sizeBytes !== null && status === 'ready') facts.push(sizeWords(sizeBytes));
  return facts.join(' · ');
}

/** Why there is nothing to play; null where there is, or will be. */
export function failureOf({ status, endReason }: Recording): string | null {
  if (status !== 'failed') return null;
  return failures[endReason ?? ''] ?? 'It failed.';
}
