/**
 * Packages the media of a room's publisher into HLS segments (fragmented MP4), which players fetch. Each segment is produced only once, on
 * the node that owns the room.
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

export interface Packaged {
  /** The id in the paths of its files. It changes each time packaging starts again. */
  packageId: string;
  /** Increases with each segment, and continues from one package to the next. */
  mediaSequence: number;
  /** Increases with each discontinuity, and continues from one package to the next. */
  discontinuitySequence: number;
  segments: PackagedSegment[];
  /** The length of the longest segment, in whole seconds. It never decreases. */
  longestSeconds: number;
  /** Codec strings as defined in RFC 6381. */
  codecs: string[];
  /** Null without video. */
  size: { width: number; height: number } | null;
  /** Maximum bits per second. */
  bandwidth: number;
}

export interface PackagedSegment {
  name: string;
  /** The initialization file of this segment. */
  init: string;
  seconds: number;
  /** When the publisher sent the start of this segment, in milliseconds since 1970. */
  at: number;
  /** Whether a discontinuity precedes it. */
  isNew: boolean;
}
