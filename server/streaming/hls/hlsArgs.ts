import { canvas, canvasSize, encodeArgs } from '../encodeArgs.ts';
import { egressArgs } from '../egressArgs.ts';

export const playlistFile = 'out.m3u8';

interface HlsForm {
  /** The number with which the file names of this run begin. */
  run: number;
  /** The size of the encoded video; null if the video is copied, or black. */
  encode: Size | null;
  /** The size of a black picture in place of a missing one; null for the picture of the egress. */
  black: Size | null;
  /** Whether silence takes the place of missing sound. */
  isSilent: boolean;
}

interface Size {
  width: number;
  height: number;
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

/** The ffmpeg arguments that turn an egress (EgressRun) into HLS segments, with picture and sound, in its working folder. */
export function hlsArgs({ run, encode, black: missing, isSilent }: HlsForm): string[] {
  // The publisher has told the size, which may be far larger than the encoder takes.
  const black = missing && canvasSize(missing);
  const inputs = [
    ...(black && isSilent ? [] : [egressArgs(1)]),
    ...(black ? [made(`color=black:size=${black.width}x${black.height}:rate=${blackFrameRate}`)] : []),
    ...(isSilent ? [made('anullsrc=sample_rate=48000:channel_layout=stereo')] : []),
  ];
  const blackArgs = black && encodeArgs(canvas(black), groupSeconds);
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
  return [
    ...inputs.flat(),
    ...['-map', `${black && !isSilent ? 1 : 0}:v:0`, ...(blackArgs ?? videoArgs)],
    ...['-map', `${isSilent ? inputs.length - 1 : 0}:a:0`, ...audioArgs],
    ...['-f', 'hls', '-hls_time', String(segmentSeconds), '-hls_segment_type', 'mpegts'],
    ...['-hls_flags', 'independent_segments+temp_file+omit_endlist+delete_segments'],
    ...['-hls_list_size', String(listed), '-hls_delete_threshold', String(kept)],
    ...['-hls_segment_filename', `${run}-%d.ts`, playlistFile],
  ];
}

const made = (source: string) => ['-re', '-f', 'lavfi', '-i', source];
