import { canvas, encodeArgs } from '../encodeArgs.ts';
import { egressArgs } from '../egressArgs.ts';

export const playlistFile = 'out.m3u8';

interface HlsForm {
  /** The number with which the file names of this run begin. */
  run: number;
  /** The size of the encoded video; null if the video is copied or there is none. */
  encode: { width: number; height: number } | null;
  /** The size of the black picture of a publisher whose camera is off; null if there is none. */
  black: { width: number; height: number } | null;
  hasVideo: boolean;
  hasAudio: boolean;
}

/**
 * The minimum length of a segment. A little less than the interval of key frames; otherwise an early key frame would not start a new
 * segment.
 */
const segmentSeconds = 0.8;
const groupSeconds = 1;
/** The number of segments in a playlist. Some older ones are kept for requests under way. */
export const listed = 8;
export const kept = 12;

const blackFrameRate = 5;

/** The ffmpeg arguments that turn an egress (EgressRun) into HLS segments in its working folder. */
export function hlsArgs({ run, encode, black, hasVideo, hasAudio }: HlsForm): string[] {
  const videoArgs = encode ? encodeArgs(canvas(encode), groupSeconds) : ['-c:v', 'copy'];
  // Lost audio is replaced by silence, so that the rest stays in step with the video.
  const audioArgs = [
    '-c:a',
    'aac',
    '-b:a',
    '128k',
    '-ac',
    '2',
    '-ar',
    '48000',
    '-af',
    'aresample=async=1000',
  ];
  const color = black && `color=black:size=${black.width}x${black.height}:rate=${blackFrameRate}`;
  return [
    ...(color ? ['-re', '-f', 'lavfi', '-i', color] : []),
    ...(hasVideo || hasAudio ? egressArgs(1) : []),
    ...(black ? ['-map', '0:v:0', ...encodeArgs(canvas(black), groupSeconds)] : []),
    ...(hasVideo ? ['-map', '0:v:0', ...videoArgs] : []),
    ...(hasAudio ? ['-map', `${black ? 1 : 0}:a:0`, ...audioArgs] : []),
    ...['-f', 'hls', '-hls_time', String(segmentSeconds), '-hls_segment_type', 'fmp4'],
    ...['-hls_flags', 'independent_segments+temp_file+omit_endlist+delete_segments'],
    ...['-hls_list_size', String(listed), '-hls_delete_threshold', String(kept)],
    ...['-hls_fmp4_init_filename', `${run}-init.mp4`, '-hls_segment_filename', `${run}-%d.m4s`, playlistFile],
  ];
}
