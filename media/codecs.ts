import type { types } from 'mediasoup';

/** Opus that repairs single losses and goes quiet in silence, and VP8, which every browser encodes and decodes. */
export const mediaCodecs: types.RouterRtpCodecCapability[] = [
  {
    kind: 'audio',
    mimeType: 'audio/opus',
    clockRate: 48_000,
    channels: 2,
    preferredPayloadType: 100,
    parameters: { useinbandfec: 1, usedtx: 1 },
  },
  {
    kind: 'video',
    mimeType: 'video/VP8',
    clockRate: 90_000,
    preferredPayloadType: 101,
    parameters: { 'x-google-start-bitrate': 800 },
  },
];
