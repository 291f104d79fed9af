import { ortc, type types } from 'mediasoup';
import { mediaCodecs } from '../router/codecs.ts';
import type { OfferedCodec } from './offeredCodecs.ts';

type Kind = 'audio' | 'video';

/** What every room can do, as offers are compared with it. */
export const roomCapabilities = ortc.generateRouterRtpCapabilities(mediaCodecs);
const { codecs = [], headerExtensions = [] } = roomCapabilities;

/** A codec of an offer, and the room's that it is. */
export interface KnownCodec {
  offered: OfferedCodec;
  known: types.RtpCodecCapability;
}

/** Those of an offer that rooms carry, in its order. */
export function knownCodecs(kind: Kind, offered: readonly OfferedCodec[]): KnownCodec[] {
  return offered.flatMap((codec) => {
    const known = codecs.find((entry) => entry.kind === kind && isSame(codec, entry));
    return known ? [{ offered: codec, known }] : [];
  });
}

/**
 * The constrained baseline that rooms speak of is what all of H264 has in common. An encoder that announces another profile is taken
 * at its word by every decoder, which reads the real one from the stream; one that announces none sends single units, which
 * whoever takes packets of several takes too.
 */
function isSame(codec: OfferedCodec, entry: types.RtpCodecCapability): boolean {
  if (entry.mimeType.toLowerCase() !== codec.mimeType || entry.clockRate !== codec.clockRate) return false;
  if (entry.kind === 'audio' && codec.channels !== entry.channels) return false;
  return codec.mimeType !== 'video/vp9' || Number(codec.parameters['profile-id'] ?? 0) === 0;
}

/** Header extensions that rooms read of what comes in, or write into what goes out. */
export function knownExtension(kind: Kind, uri: string, way: 'in' | 'out'): { id: number } | null {
  const directions = ['sendrecv', way === 'in' ? 'recvonly' : 'sendonly'];
  const found = headerExtensions.find(
    (extension) =>
      extension.kind === kind &&
      extension.uri === uri &&
      directions.includes(extension.direction ?? 'sendrecv'),
  );
  return found ? { id: found.preferredId } : null;
}

/** Which of the ways to say how packets arrive both sides know. */
export function sharedFeedback({ offered, known }: KnownCodec): OfferedCodec['rtcpFeedback'] {
  return offered.rtcpFeedback.filter((feedback) =>
    known.rtcpFeedback?.some(
      ({ type, parameter = '' }) => type === feedback.type && parameter === (feedback.parameter ?? ''),
    ),
  );
}
