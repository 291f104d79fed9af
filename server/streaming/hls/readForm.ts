import type { Packaged } from '../../../media/Packaging.ts';
import { h264SizeOf } from '../../../platform/internals/nodeMediaServer/h264Size.ts';

export type PackageForm = Pick<Packaged, 'codecs' | 'size'>;

const packetBytes = 188;
/** ffmpeg gives this packet id to the first stream. */
const videoId = 0x100;
const startCode = Buffer.from([0, 0, 1]);
const parameterSet = 7;

/**
 * Reads the codecs and the size of a segment that ffmpeg has made.
 * @param segment an MPEG transport stream (ISO 13818-1) with H.264 (ISO 14496-10 annex B) and AAC
 */
export function readForm(segment: Buffer): PackageForm {
  const sps = parameterSetOf(videoOf(segment));
  // The bytes after the type: profile, compatibility and level.
  const avc = sps ? [`avc1.${sps.toString('hex', 1, 4)}`] : [];
  // ffmpeg encodes AAC-LC.
  return { codecs: [...avc, 'mp4a.40.2'], size: sps && h264SizeOf(sps) };
}

/** The payload of the video's packets, without those that carry only a clock. */
function videoOf(segment: Buffer): Buffer {
  const payloads: Buffer[] = [];
  for (let at = 0; at + packetBytes <= segment.length; at += packetBytes) {
    const packet = segment.subarray(at, at + packetBytes);
    if ((packet.readUInt16BE(1) & 0x1fff) !== videoId) continue;
    const flags = packet.readUInt8(3);
    const adaptationBytes = flags & 0x20 ? 1 + packet.readUInt8(4) : 0;
    if (flags & 0x10) payloads.push(packet.subarray(4 + adaptationBytes));
  }
  return Buffer.concat(payloads);
}

/** The first sequence parameter set; null if there is none. */
function parameterSetOf(video: Buffer): Buffer | null {
  for (let at = video.indexOf(startCode); at !== -1; at = video.indexOf(startCode, at + 1)) {
    const begin = at + startCode.length;
    if (begin < video.length && (video.readUInt8(begin) & 0x1f) === parameterSet) {
      const end = video.indexOf(startCode, begin);
      return video.subarray(begin, end === -1 ? undefined : end);
    }
  }
  return null;
}
