import { parse, parsePayloads, type MediaDescription, type SessionDescription } from 'sdp-transform';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { DtlsParameters } from '../../sdk/protocol/media.ts';
import { offeredCodecs, type OfferedCodec } from './offeredCodecs.ts';

/** The parts of a WebRTC client's offer that this server uses. */
export interface SdpOffer {
  /** All m-lines, in order. The answer has one for each of them. */
  sections: OfferSection[];
  /** Those of the client. In the role `server` it waits for this server to start the DTLS handshake; otherwise the client starts it. */
  dtlsParameters: DtlsParameters;
  /** The client's name in its ICE session. */
  usernameFragment: string;
  allowsMixedExtensions: boolean;
}

export interface OfferSection {
  mid: string;
  /** Null for other m-lines, for example a data channel. */
  kind: 'audio' | 'video' | null;
  protocol: string;
  /** Whether the client offers to send on this m-line, and whether it offers to receive. */
  sends: boolean;
  receives: boolean;
  /** In the client's order of preference. */
  codecs: OfferedCodec[];
  extensions: { id: number; uri: string }[];
  media: MediaDescription;
}

const maxSections = 8;
/** Hash algorithms of DTLS fingerprints that mediasoup supports. */
const hashes = new Set(['sha-1', 'sha-224', 'sha-256', 'sha-384', 'sha-512']);

/**
 * Reads a WHIP or WHEP offer.
 * @throws ParleyError VALIDATION_ERROR, with the reason `invalid_request` if the text is not SDP, otherwise with a message that says what
 * is missing
 */
export function parseOffer(text: string): SdpOffer {
  const session = read(text);
  const { media } = session;
  if (media.length === 0 || !media.some(({ type }) => isMedia(type)))
    throw unusable('it has neither audio nor video');
  if (media.some(({ type }) => typeof type !== 'string'))
    throw unusable('it has an m-line that can’t be read');
  if (media.length > maxSections) throw unusable(`it has more than ${maxSections} m-lines`);
  const used = media.filter(({ type, port, bundleOnly }) => isMedia(type) && (port !== 0 || bundleOnly));
  checkBundle(session, used);
  // Sections that are only bundled have no attributes of the transport (RFC 8829).
  const first = [...used, ...media].find(({ iceUfrag }) => iceUfrag !== undefined) ?? used[0] ?? media[0];
  const fingerprint = session.fingerprint ?? first?.fingerprint;
  const setup = session.setup ?? first?.setup ?? 'actpass';
  if (!fingerprint) throw unusable('it has no a=fingerprint');
  // sdp-transform turns values that consist of digits into numbers.
  const algorithm = String(fingerprint.type).toLowerCase();
  if (!hashes.has(algorithm)) throw unusable('its a=fingerprint has an unknown algorithm');
  const usernameFragment = session.iceUfrag ?? first?.iceUfrag;
  if (!usernameFragment) throw unusable('it has no a=ice-ufrag');
  return {
    sections: media.map((section, index) => describe(session, section, index)),
    dtlsParameters: {
      role: setup === 'passive' ? 'server' : 'client',
      fingerprints: [{ algorithm, value: String(fingerprint.hash).toUpperCase() }],
    },
    usernameFragment: String(usernameFragment),
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

/** WHIP requires BUNDLE and rtcp-mux, and so do mediasoup's transports. */
function checkBundle({ groups = [] }: SessionDescription, used: MediaDescription[]): void {
  const bundled = groups
    .filter(({ type }) => type === 'BUNDLE')
    .flatMap(({ mids }) => String(mids).split(' '));
  const isSingle = used.length === 1;
  if (!isSingle && !used.every(({ mid }) => bundled.includes(String(mid))))
    throw unusable('its m-lines are not in one a=group:BUNDLE');
  if (!used.every(({ rtcpMux, bundleOnly }) => rtcpMux ?? bundleOnly))
    throw unusable('it has an m-line without a=rtcp-mux');
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
  new ParleyError('VALIDATION_ERROR', 'The body is not an SDP offer.', { reason: 'invalid_request', cause });

/** The error for an offer that is valid SDP but can't be used. */
export const unusable = (why: string, cause?: unknown): ParleyError =>
  new ParleyError('VALIDATION_ERROR', `This offer can’t be used: ${why}.`, { cause });

const codecsOf = { audio: 'Opus', video: 'VP8, H264 or VP9' };

/** @param kind the kind without a common codec; left out when no kind has one */
export const noCommonCodec = (kind?: 'audio' | 'video'): ParleyError =>
  new ParleyError(
    'VALIDATION_ERROR',
    kind
      ? `The offer has no codec for its ${kind} that this server supports: offer ${codecsOf[kind]}.`
      : 'The offer has no codec that this server supports: offer Opus, VP8, H264 or VP9.',
    { reason: 'not_acceptable' },
  );
