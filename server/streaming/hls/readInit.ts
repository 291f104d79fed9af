export interface InitForm {
  codecs: string[];
  size: { width: number; height: number } | null;
}

/** What a player needs to know before it fetches anything: from the boxes avc1, avcC and mp4a (ISO 14496-12, -15) of the file. */
export function readInit(init: Buffer): InitForm {
  const avcC = init.indexOf('avcC');
  const avc1 = init.indexOf('avc1');
  const hasPicture = avcC !== -1 && avc1 !== -1;
  // Behind the version: profile, compatibility, level.
  const avc = hasPicture ? [`avc1.${init.subarray(avcC + 5, avcC + 8).toString('hex')}`] : [];
  // ffmpeg encodes AAC-LC.
  const aac = init.includes('mp4a') ? ['mp4a.40.2'] : [];
  const size = hasPicture
    ? { width: init.readUInt16BE(avc1 + 28), height: init.readUInt16BE(avc1 + 30) }
    : null;
  return { codecs: [...avc, ...aac], size };
}
