import type { Packaged } from '../../../media/Packaging.ts';

export type InitForm = Pick<Packaged, 'codecs' | 'size'>;

/** Reads the codecs and the size from the boxes avc1, avcC and mp4a of an initialisation segment (ISO 14496-12, -15). */
export function readInit(init: Buffer): InitForm {
  const avcC = init.indexOf('avcC');
  const avc1 = init.indexOf('avc1');
  const hasVideo = avcC !== -1 && avc1 !== -1;
  // The bytes after the version: profile, compatibility and level.
  const avc = hasVideo ? [`avc1.${init.subarray(avcC + 5, avcC + 8).toString('hex')}`] : [];
  // ffmpeg encodes AAC-LC.
  const aac = init.includes('mp4a') ? ['mp4a.40.2'] : [];
  const size = hasVideo
    ? { width: init.readUInt16BE(avc1 + 28), height: init.readUInt16BE(avc1 + 30) }
    : null;
  return { codecs: [...avc, ...aac], size };
}
