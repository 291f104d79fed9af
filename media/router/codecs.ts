import { ortc, type types } from 'mediasoup';

/**
 * The codecs of every room, in order of preference: Opus, which repairs single packet losses and sends little during silence; VP8, which
 * every browser encodes and decodes; H264, for devices with hardware support for it; VP9, whose layers need no simulcast.
 */
export const mediaCodecs: types.RouterRtpCodecCapability[] = [
  {
    kind: 'audio',
    mimeType: 'audio/opus',
    clockRate: 48_000,
    channels: 2,
    preferredPayloadType: 100,
    parameters: { useinbandfec: 1, usedtx: 1 },
  },
  { kind: 'video', mimeType: 'video/VP8', clockRate: 90_000, preferredPayloadType: 101 },
  {
    kind: 'video',
    mimeType: 'video/H264',
    clockRate: 90_000,
    preferredPayloadType: 103,
    // Constrained baseline: every browser with H264 supports it.
    parameters: { 'packetization-mode': 1, 'profile-level-id': '42e01f', 'level-asymmetry-allowed': 1 },
  },
  {
    kind: 'video',
    mimeType: 'video/VP9',
    clockRate: 90_000,
    preferredPayloadType: 105,
    parameters: { 'profile-id': 0 },
  },
];

const rotationUri = 'urn:3gpp:video-orientation';

/**
 * The capabilities of all rooms. Rotation is only sent, for the sake of earlier publishers, and not accepted, so that phones rotate their
 * pictures themselves. Otherwise they only tell by how much a picture is to be rotated, which ffmpeg (HLS and recordings), Firefox and many
 * WHEP players ignore.
 */
export const roomCapabilities: types.RtpCapabilities = withoutRotation(
  ortc.generateRouterRtpCapabilities(mediaCodecs),
);

function withoutRotation({ headerExtensions = [], ...rest }: types.RtpCapabilities): types.RtpCapabilities {
  const accepted = headerExtensions.map((extension) =>
    extension.uri === rotationUri ? { ...extension, direction: 'sendonly' as const } : extension,
  );
  return { ...rest, headerExtensions: accepted };
}
