import { egressArgs } from '../streaming/egressArgs.ts';

/**
 * How long ffmpeg waits for the first key frame. If a publisher cannot send key frames on request and sends them less often than this, the
 * server encodes its video again.
 */
const analyzeSeconds = 5;

/**
 * The ffmpeg arguments that record an egress to Matroska without re-encoding. Written bytes never change, so the file is playable at any
 * time.
 */
export const recordArgs = (file: string): string[] => [
  // Without this ffmpeg would wait for several frames to measure the frame rate.
  ...['-fpsprobesize', '0', ...egressArgs(analyzeSeconds)],
  ...['-map', '0', '-c', 'copy', '-max_interleave_delta', '2000000'],
  ...['-f', 'matroska', '-live', '1', '-cluster_time_limit', '500', '-flush_packets', '1', file],
];
