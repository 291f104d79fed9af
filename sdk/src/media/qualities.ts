import type { StreamQuality } from '../../protocol/streaming.ts';

/** A video size in pixels, and the bitrate of its full layer. */
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

/** The quality of cameras in a conference room, where many videos are shown at the same time. */
export const conferenceQuality: Quality = { width: 1280, height: 720, maxBitrate: 1_700_000 };
