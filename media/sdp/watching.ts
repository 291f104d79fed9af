import type { RtpCapabilities } from '../../sdk/protocol/media.ts';
import type { ConsumerInfo } from '../roomOperations.ts';
import type { PayloadTypes } from '../router/payloadTypes.ts';
import { knownCodecs, knownExtension, sharedFeedback, type KnownCodec } from './roomCodecs.ts';
import { noCommonCodec, unusable, type OfferSection, type SdpOffer } from './SdpOffer.ts';
import type { AnsweredSection } from './writeAnswer.ts';

/** What a WHEP client can receive. */
export interface Watcher {
  rtpCapabilities: RtpCapabilities;
  /** The payload types that its offer chose. */
  payloadTypes: PayloadTypes;
  answers: (AnsweredSection | null)[];
  /** Whether it plays only sources that the answer declares. */
  needsSources: boolean;
}

/**
 * Accepts every codec that rooms support, so that the stream can be forwarded in any of them, even if its publisher reconnects with another
 * codec.
 * @throws ParleyError VALIDATION_ERROR, with the reason `not_acceptable` if there is no common codec
 */
export function watcherOf({ sections }: SdpOffer): Watcher {
  const taken = new Map<
    'audio' | 'video',
    { codecs: KnownCodec[]; extensions: OfferSection['extensions'] }
  >();
  const answers = sections.map((section): AnsweredSection | null => {
    const { kind } = section;
    if (!kind || !section.receives) return null;
    const codecs = onePerCodec(knownCodecs(kind, section.codecs));
    if (codecs.length === 0 || taken.has(kind)) return null;
    const extensions = section.extensions.filter(
      ({ id, uri }) => uri !== midUri && knownExtension(kind, uri, 'out')?.id === id,
    );
    taken.set(kind, { codecs, extensions });
    return answerTo(section, codecs, extensions);
  });
  if (!sections.some(({ kind, receives }) => kind && receives))
    throw unusable('WHEP is for receiving: set a=recvonly');
  if (taken.size === 0) throw noCommonCodec();
  const all = [...taken.values()].flatMap(({ codecs }) => codecs);
  return {
    rtpCapabilities: {
      codecs: all.map((codec) => capabilityOf(codec)),
      headerExtensions: [...taken].flatMap(([kind, { extensions }]) =>
        extensions.map(({ id, uri }) => ({ kind, uri, preferredId: id })),
      ),
    },
    payloadTypes: Object.fromEntries(all.map(({ offered }) => [offered.mimeType, offered.payloadType])),
    answers,
    needsSources: !isBrowser(sections),
  };
}

/** Adds the sources of the current consumers to the answer. */
export function declareSources(
  answers: Watcher['answers'],
  consumers: readonly Pick<ConsumerInfo, 'kind' | 'rtpParameters'>[],
): Watcher['answers'] {
  return answers.map((answer) => {
    const sent = consumers.find(({ kind }) => kind === answer?.section.kind)?.rtpParameters;
    const id = sent?.encodings?.[0]?.ssrc;
    if (!answer || id === undefined) return answer;
    return { ...answer, ssrc: { id, cname: sent?.rtcp?.cname || 'parley' } };
  });
}

/**
 * Whether the client is a browser, recognised by a header extension that only browsers offer. Browsers play undeclared sources by their
 * payload type, so they continue when the publisher reconnects; if a source is declared, they play only that one. Other clients play only
 * declared sources.
 */
const isBrowser = (sections: readonly OfferSection[]): boolean =>
  sections.some(({ extensions }) => extensions.some(({ uri }) => uri === playoutDelayUri));

const playoutDelayUri = 'http://www.webrtc.org/experiments/rtp-hdrext/playout-delay';

/** mediasoup assigns its own mids, so this extension is left out. Payload types identify m-lines, because no two m-lines share one. */
const midUri = 'urn:ietf:params:rtp-hdrext:sdes:mid';

/** Browsers offer H264 several times. Keeps the best match of each codec, in the order of the offer. */
function onePerCodec(codecs: KnownCodec[]): KnownCodec[] {
  const best = new Map<string, KnownCodec>();
  for (const codec of codecs) {
    const there = best.get(codec.offered.mimeType);
    if (!there || fitOf(codec) > fitOf(there)) best.set(codec.offered.mimeType, codec);
  }
  return [...best.values()];
}

/** Packetization mode 1 counts most, then the profile: constrained baseline before baseline. */
function fitOf({ offered }: KnownCodec): number {
  if (offered.mimeType !== 'video/h264') return 0;
  const profile = String(offered.parameters['profile-level-id'] ?? '').toLowerCase();
  const mode = Number(offered.parameters['packetization-mode'] ?? 0) === 1 ? 4 : 0;
  return mode + (profile.startsWith('42e') ? 2 : profile.startsWith('42') ? 1 : 0);
}

/**
 * The capability for a codec, without RTX. Retransmissions use the stream's own SSRC, because the payload types of separate RTX streams
 * can't be chosen.
 */
function capabilityOf(codec: KnownCodec): RtpCapabilities['codecs'][number] {
  const { offered, known } = codec;
  return {
    kind: known.kind,
    mimeType: known.mimeType,
    preferredPayloadType: offered.payloadType,
    clockRate: known.clockRate,
    ...(known.channels ? { channels: known.channels } : {}),
    parameters: known.parameters as Record<string, string | number>,
    rtcpFeedback: sharedFeedback(codec),
  };
}

function answerTo(
  section: OfferSection,
  codecs: KnownCodec[],
  extensions: OfferSection['extensions'],
): AnsweredSection {
  const says = (uri: string) => extensions.some((extension) => extension.uri === uri);
  const isUsable = ({ type }: { type: string }) =>
    (type !== 'transport-cc' || says(transportWideUri)) && (type !== 'goog-remb' || says(absoluteTimeUri));
  return {
    section,
    direction: 'sendonly',
    codecs: codecs.map((codec) => ({
      ...codec.offered,
      rtxPayloadType: null,
      rtcpFeedback: sharedFeedback(codec).filter(isUsable),
    })),
    extensions,
  };
}

const transportWideUri = 'http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01';
const absoluteTimeUri = 'http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time';
