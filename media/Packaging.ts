import { z } from 'zod';
import { videoSize } from '../sdk/protocol/media.ts';

/**
 * Packages the media of a room's publisher into HLS segments, which players fetch. They are MPEG transport streams, because VLC 3 stops at a
 * discontinuity between fragmented MP4 segments, and ffmpeg 5 misses a changed picture size. Each segment is produced only once, on the node
 * that owns the room.
 */
export interface Packager {
  /**
   * The current playlist. Starts packaging if it was not running.
   * @throws ParleyError NOT_FOUND when there is no such room, SERVICE_UNAVAILABLE when no segment is ready within a few seconds
   */
  playlist(roomId: string): Promise<Packaged>;
  /** @returns null for a file that does not exist or was removed */
  file(roomId: string, packageId: string, name: string): Promise<Buffer | null>;
}

const segment = z.object({
  name: z.string(),
  seconds: z.number(),
  /** When the publisher sent the start of this segment, in milliseconds since 1970. */
  at: z.number(),
  /** Whether a discontinuity precedes it. */
  isNew: z.boolean(),
});
export type PackagedSegment = z.output<typeof segment>;

export const packaged = z.object({
  /** The id in the paths of its files. It changes each time packaging starts again. */
  packageId: z.string().min(1).max(64),
  /** Increases with each segment, and continues from one package to the next. */
  mediaSequence: z.int(),
  /** Increases with each discontinuity, and continues from one package to the next. */
  discontinuitySequence: z.int(),
  segments: z.array(segment),
  /** The length of the longest segment, in whole seconds. It never decreases. */
  longestSeconds: z.int(),
  /** Codec strings as defined in RFC 6381. */
  codecs: z.array(z.string()),
  /** Null without video. */
  size: videoSize.nullable(),
  /** Maximum bits per second. */
  bandwidth: z.number(),
});
export type Packaged = z.output<typeof packaged>;
