import { canvas, encodeArgs } from '../encodeArgs.ts';
import { egressArgs } from '../egressArgs.ts';

export const playlistFile = 'out.m3u8';

interface HlsForm {
  /** What number the files of this ffmpeg begin with. */
  run: number;
  /** The size to encode the picture in; null where it is copied, or there is none. */
  encode: { width: number; height: number } | null;
  hasPicture: boolean;
  hasSound: boolean;
}

/** A little less than the distance of key frames, or one that comes early is passed over. */
const segmentSeconds = 0.8;
const groupSeconds = 1;
/** Players have so many, and a few more that are on their way. */
export const listed = 8;
const kept = 12;

/** What ffmpeg is to make of what a tap sends (EgressRun). It writes where it runs. */
export function hlsArgs({ run, encode, hasPicture, hasSound }: HlsForm): string[] {
  const picture = encode ? encodeArgs(canvas(encode), groupSeconds) : ['-c:v', 'copy'];
  // Sound that is lost leaves a gap, and keeps the rest in step.
  const sound = ['-c:a', 'aac', '-b:a', '128k', '-ac', '2', '-ar', '48000', '-af', 'aresample=async=1000'];
  return [
    ...egressArgs(1),
    ...(hasPicture ? ['-map', '0:v:0', ...picture] : []),
    ...(hasSound ? ['-map', '0:a:0', ...sound] : []),
    ...['-f', 'hls', '-hls_time', String(segmentSeconds), '-hls_segment_type', 'fmp4'],
    ...['-hls_flags', 'independent_segments+temp_file+omit_endlist+delete_segments'],
    ...['-hls_list_size', String(listed), '-hls_delete_threshold', String(kept)],
    ...['-hls_fmp4_init_filename', `${run}-init.mp4`, '-hls_segment_filename', `${run}-%d.m4s`, playlistFile],
  ];
}
