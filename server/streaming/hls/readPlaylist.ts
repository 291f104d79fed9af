import type { PackagedSegment } from '../../../media/Packaging.ts';

type WrittenSegment = Pick<PackagedSegment, 'name' | 'seconds'>;

/** Reads the segments of a playlist written by ffmpeg, and the number of the first. */
export function readPlaylist(text: string): { first: number; segments: WrittenSegment[] } {
  const first = Number(/^#EXT-X-MEDIA-SEQUENCE:(\d+)/m.exec(text)?.[1] ?? 0);
  const segments = [...text.matchAll(/^#EXTINF:([\d.]+),.*\n(?:#.*\n)*([^#\s]+)/gm)].map(
    ([, seconds, name = '']) => ({ name, seconds: Number(seconds) }),
  );
  return { first, segments };
}
