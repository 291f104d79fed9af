import type { types } from 'mediasoup';
import { roomCapabilities } from '../router/codecs.ts';
import type { OfferedCodec } from './offeredCodecs.ts';

type Kind = 'audio' | 'video';

const { codecs = [], headerExtensions = [] } = roomCapabilities;

/** A codec of an offer and the matching codec of the room. */
export interface KnownCodec {
  offered: OfferedCodec;
  known: types.RtpCodecCapability;
}

/** The codecs of an offer that rooms support, in the order of the offer. */
export function knownCodecs(kind: Kind, offered: readonly OfferedCodec[]): KnownCodec[] {
  return offered.flatMap((codec) => {
    const known = codecs.find((entry) => entry.kind === kind && isSame(codec, entry));
    return known ? [{ offered: codec, known }] : [];
  });
}

/**
 * All profiles of H264 match the constrained baseline of rooms, because every decoder reads the real profile from the stream. An encoder
 * without a packetization mode sends single units, which receivers of mode 1 accept too.
 */
function isSame(codec: OfferedCodec, entry: types.RtpCodecCapability): boolean {
  if (entry.mimeType.toLowerCase() !== codec.mimeType || entry.clockRate !== codec.clockRate) return false;
  if (entry.kind === 'audio' && codec.channels !== entry.channels) return false;
  return codec.mimeType !== 'video/vp9' || Number(codec.parameters['profile-id'] ?? 0) === 0;
}

/** Finds a header extension that rooms read from incoming packets, or write into outgoing ones. */
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

/** The RTCP feedback that both sides support. */
export function sharedFeedback({ offered, known }: KnownCodec): OfferedCodec['rtcpFeedback'] {
  return offered.rtcpFeedback.filter((feedback) =>
    known.rtcpFeedback?.some(
      ({ type, parameter = '' }) => type === feedback.type && parameter === (feedback.parameter ?? ''),
    ),
  );
}
