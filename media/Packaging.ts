/** A room's publisher as segments that a player fetches: HLS with fragmented MP4. They are made where the room is, once for all. */
export interface Packager {
  /**
   * What there is to fetch now; begins to make it when nobody has asked for a while.
   * @throws ParleyError NOT_FOUND when there is no such room, SERVICE_UNAVAILABLE when there is nothing to be had within some seconds
   */
  playlist(roomId: string): Promise<Packaged>;
  /** @returns null for one that is not there (any more) */
  file(roomId: string, packageId: string, name: string): Promise<Buffer | null>;
}

export interface Packaged {
  /** What its files are found under: another one each time it begins anew. */
  packageId: string;
  /** Rises with each segment, also over packages. */
  mediaSequence: number;
  /** Rises too, over packages. */
  discontinuitySequence: number;
  segments: PackagedSegment[];
  /** Whole seconds no segment is longer than: never less than it was. */
  longestSeconds: number;
  /** As RFC 6381 writes them. */
  codecs: string[];
  /** Null where there is no picture. */
  size: { width: number; height: number } | null;
  /** Bits per second, at most. */
  bandwidth: number;
}

export interface PackagedSegment {
  name: string;
  /** The file that goes before it. */
  init: string;
  seconds: number;
  /** When it was sent, in milliseconds since 1970. */
  at: number;
  /** It does not follow the one before. */
  isNew: boolean;
}
