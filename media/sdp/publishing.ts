import { ortc, type types } from 'mediasoup';
import {
  rtpParameters as wireParameters,
  type RtpParameters,
  type Source,
} from '../../sdk/protocol/media.ts';
import { encodingsOf } from './encodings.ts';
import { roomCapabilities } from '../router/codecs.ts';
import { knownCodecs, knownExtension, sharedFeedback, type KnownCodec } from './roomCodecs.ts';
import { noCommonCodec, unusable, type OfferSection, type SdpOffer } from './SdpOffer.ts';
import type { AnsweredSection } from './writeAnswer.ts';

/** The producers of a WHIP client, and the answer to its offer. Each accepted m-line has one codec. */
export interface Publishing {
  producers: { source: Source; rtpParameters: RtpParameters }[];
  /** The answer to each m-line of the offer; null for refused ones. */
  answers: (AnsweredSection | null)[];
}

/** The sources of the first and second m-line of each kind. */
const sources: Record<'audio' | 'video', readonly Source[]> = {
  audio: ['microphone', 'screen-audio'],
  video: ['camera', 'screen'],
};

/**
 * Chooses, for each m-line, the first codec that rooms support. An offer is refused if its audio or video has no common codec. Otherwise
 * the publisher would continue without it, and no one would notice.
 * @throws ParleyError VALIDATION_ERROR, with the reason `not_acceptable` if there is no common codec
 */
export function publishingOf({ sections }: SdpOffer): Publishing {
  const producers: Publishing['producers'] = [];
  const free = { audio: [...sources.audio], video: [...sources.video] };
  const answers = sections.map((section): AnsweredSection | null => {
    if (!section.kind || !section.sends) return null;
    const [chosen] = knownCodecs(section.kind, section.codecs);
    const source = chosen && free[section.kind].shift();
    if (!chosen || !source) return null;
    const rtpParameters = rtpParametersOf(section, chosen);
    producers.push({ source, rtpParameters });
    return answerTo(section, chosen, rtpParameters);
  });
  if (!sections.some(({ kind, sends }) => kind && sends))
    throw unusable('WHIP is for sending: set a=sendonly');
  for (const kind of ['audio', 'video'] as const) {
    const isOffered = sections.some((section) => section.kind === kind && section.sends);
    if (isOffered && !producers.some(({ source }) => sources[kind].includes(source)))
      throw noCommonCodec(kind);
  }
  timeByArrival(producers, sections);
  checkParameters(producers);
  return { producers, answers };
}

const captureTimeUri = 'http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time';
/** The highest id of a one-byte header extension. */
const highestId = 14;

/**
 * Ensures that mediasoup uses the arrival times of packets instead of a publisher's capture times. mediasoup normally reads capture times
 * from a publisher's sender reports and forwards them in its own reports. GStreamer's webrtcbin 1.22 reports times that are seconds ahead,
 * and ffmpeg's timestamps jump. mediasoup uses arrival times if the capture time extension is declared but missing from the packets, so it
 * is declared here. Simulcast is excluded, because mediasoup needs sender reports to align its layers.
 */
function timeByArrival(producers: Publishing['producers'], sections: SdpOffer['sections']): void {
  if (producers.some(({ rtpParameters: { encodings = [] } }) => encodings.length > 1)) return;
  const offered = sections.flatMap(({ extensions }) => extensions);
  const taken = new Set(offered.map(({ id }) => id));
  let id = highestId;
  while (taken.has(id)) id--;
  if (id < 1 || offered.some(({ uri }) => uri === captureTimeUri)) return;
  // A new list, because the answer must not contain the extension.
  for (const { rtpParameters } of producers)
    rtpParameters.headerExtensions = [...(rtpParameters.headerExtensions ?? []), { uri: captureTimeUri, id }];
}

/** Checks the parameters as mediasoup does later, so that an invalid offer is refused before the current publisher is replaced. */
function checkParameters(producers: Publishing['producers']): void {
  checkUnique(producers.map(({ rtpParameters: { mid } }) => mid));
  const encodings = producers.map(({ rtpParameters }) => rtpParameters.encodings ?? []);
  checkUnique(encodings.flat().flatMap(({ ssrc, rtx }) => [ssrc, rtx?.ssrc]));
  for (const of of encodings) checkUnique(of.map(({ rid }) => rid));
  try {
    for (const { rtpParameters } of producers) {
      const parameters = structuredClone(wireParameters.parse(rtpParameters)) as types.RtpParameters;
      ortc.validateAndNormalizeRtpParameters(parameters);
      ortc.getProducerRtpParametersMapping(parameters, roomCapabilities);
    }
  } catch (cause) {
    throw unusable(cause instanceof TypeError ? cause.message : 'its RTP parameters are not valid', cause);
  }
}

function checkUnique(values: readonly (string | number | undefined)[]): void {
  const given = values.filter((value) => value !== undefined);
  if (new Set(given).size < given.length) throw unusable('it has the same MID, RID or SSRC twice');
}

function rtpParametersOf(section: OfferSection, chosen: KnownCodec): RtpParameters {
  const { offered, known } = chosen;
  const { kind, media } = section;
  const rtx = offered.rtxPayloadType;
  const headerExtensions = section.extensions.filter(({ uri }) => kind && knownExtension(kind, uri, 'in'));
  return {
    mid: section.mid,
    codecs: [
      {
        mimeType: known.mimeType,
        payloadType: offered.payloadType,
        clockRate: known.clockRate,
        ...(known.channels ? { channels: known.channels } : {}),
        parameters: { ...(known.parameters as Record<string, string | number>), ...stereoOf(chosen) },
        rtcpFeedback: sharedFeedback(chosen),
      },
      ...(rtx === null
        ? []
        : [
            {
              mimeType: 'video/rtx',
              payloadType: rtx,
              clockRate: known.clockRate,
              parameters: { apt: offered.payloadType },
            },
          ]),
    ],
    headerExtensions,
    encodings: encodingsOf(section, { hasRtx: rtx !== null, mimeType: offered.mimeType }),
    rtcp: { cname: cnameOf(media), reducedSize: media.rtcpRsize !== undefined },
  };
}

const stereoOf = ({ offered }: KnownCodec) =>
  offered.mimeType === 'audio/opus' &&
  Number(offered.parameters['sprop-stereo'] ?? offered.parameters['stereo'])
    ? { 'sprop-stereo': 1 }
    : {};

const cnameOf = ({ ssrcs = [] }: OfferSection['media']): string =>
  String(ssrcs.find(({ attribute }) => attribute === 'cname')?.value ?? '').slice(0, 256);

function answerTo(section: OfferSection, chosen: KnownCodec, rtpParameters: RtpParameters): AnsweredSection {
  const { offered } = chosen;
  const rtcpFeedback = sharedFeedback(chosen);
  const isOpus = offered.mimeType === 'audio/opus';
  return {
    section,
    direction: 'recvonly',
    codecs: [{ ...offered, rtcpFeedback, fmtp: isOpus ? opusToReceive(chosen) : offered.fmtp }],
    extensions: rtpParameters.headerExtensions ?? [],
    rids: (rtpParameters.encodings ?? []).flatMap(({ rid }) => rid ?? []),
  };
}

/** Enables in-band error correction, and stereo if the offer has two channels. */
function opusToReceive(chosen: KnownCodec): string {
  const isStereo = Object.keys(stereoOf(chosen)).length > 0;
  return `minptime=10;useinbandfec=1${isStereo ? ';stereo=1;sprop-stereo=1' : ''}`;
}
