import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { RtpCapabilities, RtpParameters, Source } from '../sdk/protocol/media.ts';

/*
 * Plain RTP, for processes without WebRTC such as ffmpeg. Packets that leave the host are sent as SRTP.
 */

/** The sources that a plain RTP peer may send into a room. */
export const plainSource = z.enum(['camera', 'microphone']);
export type PlainSource = z.output<typeof plainSource>;
/** The pair of sources that a plain RTP peer receives: camera and microphone, or screen and screen-audio. */
export const egressView = z.enum(['camera', 'screen']);
export type EgressView = z.output<typeof egressView>;
export const viewOf = (source: Source): EgressView =>
  source === 'screen' || source === 'screen-audio' ? 'screen' : 'camera';
export const kindOf = (source: Source): 'video' | 'audio' =>
  source === 'camera' || source === 'screen' ? 'video' : 'audio';

export const ssrc = z.int().min(0).max(0xffffffff);
/** RTCP uses the next port. */
export const rtpPort = z.int().min(1).max(65_534);
export const srtpKey = z.string().max(256);

/** One end of an RTP stream. */
export const plainAddress = z.object({
  ip: z.string().max(64),
  port: z.int().min(1).max(65_535),
  /** The sender's encryption key; null when packets stay on the host. */
  srtpKeyBase64: srtpKey.nullable(),
});
export type PlainAddress = z.output<typeof plainAddress>;

export const srtpSuite = 'AES_CM_128_HMAC_SHA1_80';
/** A random key for AES-128, with its salt. */
export const newSrtpKey = (): string => randomBytes(30).toString('base64');

export const plainPayloadTypes: Record<PlainSource, number> = { microphone: 100, camera: 103 };

/** RTP parameters of H264 and Opus as ffmpeg sends them. */
export function plainRtpParameters(source: PlainSource, ssrc: number): RtpParameters {
  const payloadType = plainPayloadTypes[source];
  const codec =
    source === 'camera'
      ? {
          mimeType: 'video/H264',
          payloadType,
          clockRate: 90_000,
          // The actual profile may be higher. Browsers decode it nevertheless.
          parameters: { 'packetization-mode': 1, 'profile-level-id': '42e01f' },
        }
      : {
          mimeType: 'audio/opus',
          payloadType,
          clockRate: 48_000,
          channels: 2,
          parameters: { useinbandfec: 1, 'sprop-stereo': 1 },
        };
  return { codecs: [codec], encodings: [{ ssrc }], rtcp: { cname: 'plain' } };
}

/** Receive capabilities of ffmpeg: all codecs of a room, with neither retransmissions nor header extensions. */
export const egressCapabilities: RtpCapabilities = {
  codecs: [
    { kind: 'audio', mimeType: 'audio/opus', preferredPayloadType: 100, clockRate: 48_000, channels: 2 },
    video('video/VP8', 101, {}),
    video('video/H264', 103, {
      'packetization-mode': 1,
      'profile-level-id': '42e01f',
      'level-asymmetry-allowed': 1,
    }),
    video('video/VP9', 105, { 'profile-id': 0 }),
  ],
  headerExtensions: [],
};

function video(mimeType: string, preferredPayloadType: number, parameters: Record<string, number | string>) {
  const rtcpFeedback = [
    { type: 'nack', parameter: 'pli' },
    { type: 'ccm', parameter: 'fir' },
  ];
  return {
    kind: 'video' as const,
    mimeType,
    preferredPayloadType,
    parameters,
    rtcpFeedback,
    clockRate: 90_000,
  };
}
