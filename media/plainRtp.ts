import { randomBytes } from 'node:crypto';
import type { RtpCapabilities, RtpParameters, Source } from '../sdk/protocol/media.ts';

/*
 * Plain RTP, as programs speak it that are no WebRTC devices: ffmpeg, say. Where packets leave the host they go as SRTP.
 */

/** What a program may send into a room. */
export type PlainSource = Extract<Source, 'camera' | 'microphone'>;
/** What a program is sent from it, one picture and one sound: a camera and microphone, or a screen and its sound. */
export type EgressView = 'camera' | 'screen';
export const viewOf = (source: Source): EgressView =>
  source === 'screen' || source === 'screen-audio' ? 'screen' : 'camera';
export const kindOf = (source: Source): 'video' | 'audio' =>
  source === 'camera' || source === 'screen' ? 'video' : 'audio';

/** One end of a stream of packets. */
export interface PlainAddress {
  ip: string;
  port: number;
  /** What the sender encrypts with; null where packets stay on the host. */
  srtpKeyBase64: string | null;
}

export const srtpSuite = 'AES_CM_128_HMAC_SHA1_80';
/** A key of AES-128 and its salt. */
export const newSrtpKey = (): string => randomBytes(30).toString('base64');

export const plainPayloadTypes: Record<PlainSource, number> = { microphone: 100, camera: 103 };

/** As ffmpeg sends H264 and Opus. */
export function plainRtpParameters(source: PlainSource, ssrc: number): RtpParameters {
  const payloadType = plainPayloadTypes[source];
  const codec =
    source === 'camera'
      ? {
          mimeType: 'video/H264',
          payloadType,
          clockRate: 90_000,
          // What is really sent may be a higher profile: browsers decode it all the same.
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

/** What ffmpeg takes: every codec of ours, nothing repeated, no header extensions. */
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
    ...{ mimeType, preferredPayloadType, parameters, rtcpFeedback },
    clockRate: 90_000,
  };
}
