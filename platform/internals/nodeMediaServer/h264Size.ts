import spsInfo from 'node-media-server/src/protocol/sps_info.js';

/** The bytes before the first sequence parameter set: four of the profile, two of counts, two of its length. */
const headBytes = 8;

/**
 * The size of H264 video.
 * @param avcC the decoder configuration (ISO 14496-15)
 * @returns null if it cannot be read
 */
export function h264Size(avcC: Buffer): { width: number; height: number } | null {
  if (avcC.length <= headBytes) return null;
  return h264SizeOf(avcC.subarray(headBytes, headBytes + avcC.readUInt16BE(headBytes - 2)));
}

/**
 * The size of H264 video.
 * @param sps a sequence parameter set
 * @returns null if it cannot be read
 */
export const h264SizeOf = (sps: Buffer): { width: number; height: number } | null =>
  spsInfo.parseH264Sps(sps);
