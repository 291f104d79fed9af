import type { StreamQuality } from '../../protocol/streaming.ts';

/** A picture of so many pixels, and what its full layer may cost. */
export interface Quality {
  width: number;
  height: number;
  maxBitrate: number;
}

export const qualities: Record<StreamQuality, Quality> = {
  '720p': { width: 1280, height: 720, maxBitrate: 2_500_000 },
  '1080p': { width: 1920, height: 1080, maxBitrate: 4_500_000 },
  '4k': { width: 3840, height: 2160, maxBitrate: 13_000_000 },
};

/** Where many are shown at once. */
export const conferenceQuality: Quality = { width: 1280, height: 720, maxBitrate: 1_700_000 };
