import { egressArgs } from '../streaming/egressArgs.ts';

/** A publisher who can't be asked for a key frame sends one within this, or is encoded anew elsewhere. */
const analyzeSeconds = 5;

/**
 * What ffmpeg is to make of what a tap sends: Matroska with all of it as it is. Nothing in it is changed later, so that what is written is a
 * film at every moment.
 */
export const recordArgs = (file: string): string[] => [
  // How many pictures there are a second is nobody's concern: it would wait for some.
  ...['-fpsprobesize', '0', ...egressArgs(analyzeSeconds)],
  ...['-map', '0', '-c', 'copy', '-max_interleave_delta', '2000000'],
  ...['-f', 'matroska', '-live', '1', '-cluster_time_limit', '500', '-flush_packets', '1', file],
];
