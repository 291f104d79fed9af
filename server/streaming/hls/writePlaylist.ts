import type { Packaged } from '../../../media/Packaging.ts';

/** Builds the URL of a package file, with its path and signature. */
export type AddressOf = (name: string) => string;

export function writeMaster({ codecs, size, bandwidth }: Packaged, mediaPlaylist: string): string {
  const attributes = [
    `BANDWIDTH=${bandwidth}`,
    ...(size ? [`RESOLUTION=${size.width}x${size.height}`] : []),
    `CODECS="${codecs.join(',')}"`,
  ];
  return lines('#EXTM3U', '#EXT-X-VERSION:3', '#EXT-X-INDEPENDENT-SEGMENTS', [
    `#EXT-X-STREAM-INF:${attributes.join(',')}`,
    mediaPlaylist,
  ]);
}

/** The playlist of an ended stream without remaining segments. */
export const endedPlaylist = '#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXT-X-ENDLIST\n';

/** @param isEnded whether the stream has ended */
export function writeMedia(packaged: Packaged, addressOf: AddressOf, isEnded = false): string {
  const { segments, mediaSequence, discontinuitySequence, longestSeconds: longest } = packaged;
  const entries = segments.flatMap(({ name, seconds, at, isNew }) => [
    ...(isNew ? ['#EXT-X-DISCONTINUITY'] : []),
    `#EXT-X-PROGRAM-DATE-TIME:${new Date(at).toISOString()}`,
    `#EXTINF:${seconds.toFixed(3)},`,
    addressOf(name),
  ]);
  return lines('#EXTM3U', '#EXT-X-VERSION:3', `#EXT-X-TARGETDURATION:${longest}`, [
    // Players stay three segments behind live, the minimum the specification allows.
    `#EXT-X-SERVER-CONTROL:HOLD-BACK=${(3 * longest).toFixed(1)}`,
    `#EXT-X-MEDIA-SEQUENCE:${mediaSequence}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${discontinuitySequence}`,
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...entries,
    ...(isEnded ? ['#EXT-X-ENDLIST'] : []),
  ]);
}

const lines = (...given: (string | string[])[]) => `${given.flat().join('\n')}\n`;
