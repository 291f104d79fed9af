import { write, type MediaDescription, type SessionDescription } from 'sdp-transform';
import type { WireTransport } from '../../sdk/protocol/media.ts';
import { ridsOf } from './encodings.ts';
import type { OfferedCodec } from './offeredCodecs.ts';
import type { OfferSection, SdpOffer } from './SdpOffer.ts';

/** An accepted m-line and its answer. */
export interface AnsweredSection {
  section: OfferSection;
  direction: 'sendonly' | 'recvonly';
  codecs: Pick<
    OfferedCodec,
    'payloadType' | 'mimeType' | 'clockRate' | 'channels' | 'fmtp' | 'rtcpFeedback' | 'rtxPayloadType'
  >[];
  extensions: { id: number; uri: string }[];
  /** The accepted simulcast layers, if this m-line receives. */
  rids?: string[];
  /** The source of the packets, if this m-line sends and the source has to be declared. */
  ssrc?: { id: number; cname: string };
}

type Transport = Pick<WireTransport, 'iceParameters' | 'iceCandidates' | 'dtlsParameters'>;

/** @param answers one for each m-line of the offer; null for refused ones */
export function writeAnswer(
  offer: SdpOffer,
  answers: (AnsweredSection | null)[],
  transport: Transport,
): string {
  const bundled = answers.flatMap((answer) => (answer ? [answer.section.mid] : []));
  const session: SessionDescription = {
    version: 0,
    origin: {
      username: '-',
      sessionId: sessionId(),
      sessionVersion: 1,
      netType: 'IN',
      ipVer: 4,
      address: '127.0.0.1',
    },
    name: '-',
    timing: { start: 0, stop: 0 },
    icelite: 'ice-lite',
    groups: [{ type: 'BUNDLE', mids: bundled.join(' ') }],
    msidSemantic: { semantic: 'WMS', token: '*' },
    ...(offer.allowsMixedExtensions ? { extmapAllowMixed: 'extmap-allow-mixed' as const } : {}),
    media: offer.sections.map((section, index) => {
      const answer = answers[index];
      return answer ? take(answer, offer, transport) : refuse(section);
    }),
  };
  return write(session);
}

/** Random enough to be unique, and small enough for any number type that a client may use. */
const sessionId = () => Math.floor(Math.random() * 2 ** 48);

function refuse({ mid, protocol, media }: OfferSection): MediaDescription {
  return {
    type: media.type,
    port: 0,
    protocol,
    payloads: String(media.payloads ?? '0').split(' ')[0] ?? '0',
    connection,
    rtp: [],
    fmtp: [],
    mid,
    direction: 'inactive',
  };
}

function take(
  { section, direction, codecs, extensions, rids, ssrc }: AnsweredSection,
  { dtlsParameters: { role } }: SdpOffer,
  { iceParameters, iceCandidates, dtlsParameters }: Transport,
): MediaDescription {
  const [fingerprint] = dtlsParameters.fingerprints.toSorted((a) => (a.algorithm === 'sha-256' ? -1 : 1));
  return {
    type: section.media.type,
    port: 9,
    protocol: section.protocol,
    payloads: codecs.flatMap(payloadTypesOf).join(' '),
    connection,
    ...codecLines(codecs),
    ext: extensions.map(({ id, uri }) => ({ value: id, uri })),
    mid: section.mid,
    direction,
    ...(direction === 'sendonly' ? sourceLines(section, ssrc) : layersOf(section, rids)),
    iceUfrag: iceParameters.usernameFragment,
    icePwd: iceParameters.password,
    candidates: iceCandidates.map(toCandidate),
    endOfCandidates: 'end-of-candidates',
    ...(fingerprint ? { fingerprint: { type: fingerprint.algorithm, hash: fingerprint.value } } : {}),
    setup: role === 'server' ? 'active' : 'passive',
    rtcpMux: 'rtcp-mux',
    rtcpRsize: 'rtcp-rsize',
  };
}

/** Some clients read the track id from a=msid, others from a=ssrc. */
function sourceLines(
  { media: { type } }: OfferSection,
  ssrc: AnsweredSection['ssrc'],
): Pick<MediaDescription, 'msid' | 'ssrcs'> {
  const msid = [{ id: 'parley', appdata: type }];
  if (!ssrc) return { msid };
  const { id, cname } = ssrc;
  const ssrcs = [
    { id, attribute: 'cname', value: cname },
    { id, attribute: 'msid', value: `parley ${type}` },
  ];
  return { msid, ssrcs };
}

const connection = { version: 4, ip: '0.0.0.0' };

const payloadTypesOf = ({ payloadType, rtxPayloadType }: AnsweredSection['codecs'][number]) =>
  rtxPayloadType === null ? [payloadType] : [payloadType, rtxPayloadType];

function codecLines(codecs: AnsweredSection['codecs']): Pick<MediaDescription, 'rtp' | 'fmtp' | 'rtcpFb'> {
  return {
    rtp: codecs.flatMap(({ payloadType, rtxPayloadType, mimeType, clockRate, channels }) => [
      {
        payload: payloadType,
        codec: names[mimeType] ?? mimeType.split('/')[1] ?? '',
        rate: clockRate,
        ...(channels > 1 ? { encoding: channels } : {}),
      },
      ...(rtxPayloadType === null ? [] : [{ payload: rtxPayloadType, codec: 'rtx', rate: clockRate }]),
    ]),
    fmtp: codecs.flatMap(({ payloadType, rtxPayloadType, fmtp }) => [
      ...(fmtp ? [{ payload: payloadType, config: fmtp }] : []),
      ...(rtxPayloadType === null ? [] : [{ payload: rtxPayloadType, config: `apt=${payloadType}` }]),
    ]),
    rtcpFb: codecs.flatMap(({ payloadType, rtcpFeedback }) =>
      rtcpFeedback.map(({ type, parameter }) => ({
        payload: payloadType,
        type,
        ...(parameter ? { subtype: parameter } : {}),
      })),
    ),
  };
}

/** The registered spelling of codec names. */
const names: Record<string, string> = { 'video/vp8': 'VP8', 'video/vp9': 'VP9', 'video/h264': 'H264' };

function layersOf(
  { media }: OfferSection,
  taken: string[] = [],
): Pick<MediaDescription, 'rids' | 'simulcast'> {
  const rids = ridsOf(media).filter((rid) => taken.includes(rid));
  if (rids.length === 0) return {};
  return {
    rids: rids.map((id) => ({ id, direction: 'recv' })),
    simulcast: { dir1: 'recv', list1: rids.join(';') },
  };
}

/** An ICE candidate in SDP form. */
export function toCandidate({
  foundation,
  priority,
  address,
  protocol,
  port,
  type,
  tcpType,
}: WireTransport['iceCandidates'][number]): NonNullable<MediaDescription['candidates']>[number] {
  return {
    foundation,
    component: 1,
    transport: protocol,
    priority,
    ip: address,
    port,
    type,
    ...(tcpType ? { tcptype: tcpType } : {}),
  };
}
