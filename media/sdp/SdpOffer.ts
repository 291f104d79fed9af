import { parse, parsePayloads, type MediaDescription, type SessionDescription } from 'sdp-transform';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { DtlsParameters } from '../../sdk/protocol/media.ts';
import { offeredCodecs, type OfferedCodec } from './offeredCodecs.ts';

/** What a WebRTC client offers, as far as it concerns us. */
export interface SdpOffer {
  /** Every m-line, in its order: the answer has as many. */
  sections: OfferSection[];
  fingerprints: DtlsParameters['fingerprints'];
  /** Whether the client waits for our DTLS handshake; otherwise it begins. */
  isPassive: boolean;
  allowsMixedExtensions: boolean;
}

export interface OfferSection {
  mid: string;
  /** Null for what is neither, a data channel for one. */
  kind: 'audio' | 'video' | null;
  protocol: string;
  /** Whether the client would send, or receive, here. */
  sends: boolean;
  receives: boolean;
  /** The one it likes best first. */
  codecs: OfferedCodec[];
  extensions: { id: number; uri: string }[];
  media: MediaDescription;
}

const mostSections = 8;
/** Of DTLS fingerprints, those mediasoup takes. */
const hashes = new Set(['sha-1', 'sha-224', 'sha-256', 'sha-384', 'sha-512']);

/**
 * Reads an offer of WHIP or WHEP.
 * @throws ParleyError VALIDATION_ERROR: with the reason `invalid_request` where it is no SDP, else what WebRTC needs and it lacks
 */
export function parseOffer(text: string): SdpOffer {
  const session = read(text);
  const { media } = session;
  if (media.length === 0 || !media.some(({ type }) => isMedia(type)))
    throw unusable('it has neither sound nor picture');
  if (media.some(({ type }) => typeof type !== 'string'))
    throw unusable('it has an m-line that can’t be read');
  if (media.length > mostSections) throw unusable(`it has more than ${mostSections} m-lines`);
  const used = media.filter(({ type, port, bundleOnly }) => isMedia(type) && (port !== 0 || bundleOnly));
  checkBundle(session, used);
  const [first = session.media[0]] = used;
  const fingerprint = session.fingerprint ?? first?.fingerprint;
  const setup = session.setup ?? first?.setup ?? 'actpass';
  if (!fingerprint) throw unusable('it has no a=fingerprint');
  // sdp-transform makes a number of whatever consists of digits.
  const algorithm = String(fingerprint.type).toLowerCase();
  if (!hashes.has(algorithm)) throw unusable('its a=fingerprint has an unknown algorithm');
  if (!(session.iceUfrag ?? first?.iceUfrag)) throw unusable('it has no a=ice-ufrag');
  return {
    sections: media.map((section, index) => describe(session, section, index)),
    fingerprints: [{ algorithm, value: String(fingerprint.hash).toUpperCase() }],
    isPassive: setup === 'passive',
    allowsMixedExtensions: [session, ...media].some(({ extmapAllowMixed }) => extmapAllowMixed !== undefined),
  };
}

function read(text: string): SessionDescription {
  if (!/^v=0\r?\n/.test(text)) throw notSdp();
  try {
    return parse(text);
  } catch (cause) {
    throw notSdp(cause);
  }
}

/** WHIP asks for BUNDLE and rtcp-mux, and mediasoup's transports can't do without. */
function checkBundle({ groups = [] }: SessionDescription, used: MediaDescription[]): void {
  const bundled = groups
    .filter(({ type }) => type === 'BUNDLE')
    .flatMap(({ mids }) => String(mids).split(' '));
  const isAlone = used.length === 1;
  if (!isAlone && !used.every(({ mid }) => bundled.includes(String(mid))))
    throw unusable('its m-lines are not in one a=group:BUNDLE');
  if (!used.every(({ rtcpMux }) => rtcpMux)) throw unusable('it has an m-line without a=rtcp-mux');
}

function describe(session: SessionDescription, media: MediaDescription, index: number): OfferSection {
  const { type, port, protocol, bundleOnly } = media;
  const isUsed = isMedia(type) && (port !== 0 || bundleOnly !== undefined);
  const direction = media.direction ?? session.direction ?? 'sendrecv';
  return {
    mid: String(media.mid ?? index),
    kind: isUsed ? type : null,
    protocol,
    sends: direction === 'sendonly' || direction === 'sendrecv',
    receives: direction === 'recvonly' || direction === 'sendrecv',
    codecs: isUsed ? offeredCodecs(media, parsePayloads(String(media.payloads ?? ''))) : [],
    extensions: [...(session.ext ?? []), ...(media.ext ?? [])].flatMap(({ value, uri, ...ext }) =>
      ext['encrypt-uri'] ? [] : [{ id: value, uri }],
    ),
    media,
  };
}

const isMedia = (type: string) => type === 'audio' || type === 'video';

const notSdp = (cause?: unknown) =>
  new ParleyError('VALIDATION_ERROR', 'The body is no SDP offer.', { reason: 'invalid_request', cause });

/** An offer that can be read, and can't be used. */
export const unusable = (why: string, cause?: unknown): ParleyError =>
  new ParleyError('VALIDATION_ERROR', `This offer can’t be used: ${why}.`, { cause });

const codecsOf = { audio: 'sound: Opus', video: 'picture: VP8, H264, VP9' };

/** @param kind of what; left out where there is none at all */
export const noCommonCodec = (kind?: 'audio' | 'video'): ParleyError =>
  new ParleyError(
    'VALIDATION_ERROR',
    kind
      ? `The offer has no codec of this server’s for its ${codecsOf[kind]}.`
      : 'The offer has none of the codecs: Opus, VP8, H264, VP9.',
    { reason: 'not_acceptable' },
  );
