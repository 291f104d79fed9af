import type { OpenIngest } from '../../../media/roomOperations.ts';
import { srtpSuite } from '../../../media/plainRtp.ts';
import { encodeArgs, withinFullHd } from '../encodeArgs.ts';
import { secretOptions } from '../Ffmpeg.ts';

/** The interval of key frames in encoded video, and so the maximum wait of new viewers. */
const groupSeconds = 1;
/** The maximum size of an RTP packet. Packets of this size fit through every network between nodes. */
const packetBytes = 1200;

/**
 * The ffmpeg arguments that send FLV from standard input to a room, and the secret options.
 * @param options.transcode whether the video is encoded again instead of copied
 */
export function ingestArgs(
  { tracks }: OpenIngest,
  { transcode }: { transcode: boolean },
): { args: string[]; secret?: string } {
  const output = tracks.flatMap((track, index) => [
    ...(track.source === 'camera' ? videoArgs(transcode) : audioArgs),
    ...['-map_metadata', '-1', '-f', 'rtp', '-rtpflags', 'skip_rtcp'],
    ...['-ssrc', String(track.ssrc), '-payload_type', String(track.payloadType)],
    ...addressArgs(track.to, index === 0 ? 0 : 1),
  ]);
  const [key] = tracks.flatMap(({ to }) => to.srtpKeyBase64 ?? []);
  return {
    args: [
      ...['-protocol_whitelist', 'pipe', '-analyzeduration', '500000'],
      // Unlike flv, live_flv goes on without a gap when the publisher's clock jumps or starts again.
      ...['-probesize', '2000000', '-f', 'live_flv', '-i', 'pipe:0', ...output],
    ],
    ...(key === undefined ? {} : { secret: `srtp_out_params=${key}` }),
  };
}

type Address = OpenIngest['tracks'][number]['to'];

function addressArgs({ ip, port, srtpKeyBase64 }: Address, output: 0 | 1): string[] {
  const host = ip.includes(':') ? `[${ip}]` : ip;
  const where = `${host}:${port}?pkt_size=${packetBytes}`;
  if (srtpKeyBase64 === null) return [`rtp://${where}`];
  return ['-srtp_out_suite', srtpSuite, '-fpre', secretOptions(output), `srtp://${where}`];
}

/** Copies the video, and repeats the parameter sets before each key frame for viewers that join later. */
const copyArgs = ['-map', '0:v:0', '-c:v', 'copy', '-bsf:v', 'h264_mp4toannexb,dump_extra=freq=keyframe'];

function videoArgs(transcode: boolean): string[] {
  return transcode ? ['-map', '0:v:0', ...encodeArgs(withinFullHd, groupSeconds)] : copyArgs;
}

const audioArgs = [
  ...['-map', '0:a:0', '-c:a', 'libopus', '-b:a', '128k', '-ac', '2', '-ar', '48000'],
  ...['-application', 'audio', '-frame_duration', '20'],
];
