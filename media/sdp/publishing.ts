import type { RtpParameters, Source } from '../../sdk/protocol/media.ts';
import { encodingsOf } from './encodings.ts';
import { knownCodecs, knownExtension, sharedFeedback, type KnownCodec } from './roomCodecs.ts';
import { noCommonCodec, unusable, type OfferSection, type SdpOffer } from './SdpOffer.ts';
import type { AnsweredSection } from './writeAnswer.ts';

/** What a client of WHIP is to send: one codec for each m-line that is taken. */
export interface Publishing {
  producers: { source: Source; rtpParameters: RtpParameters }[];
  /** For each m-line of the offer, what is answered; null for those that are refused. */
  answers: (AnsweredSection | null)[];
}

/** What the first and the second m-line of a kind are. */
const sources: Record<'audio' | 'video', readonly Source[]> = {
  audio: ['microphone', 'screen-audio'],
  video: ['camera', 'screen'],
};

/**
 * Takes, of each m-line, the first codec that rooms carry.
 * @throws ParleyError VALIDATION_ERROR, with the reason `not_acceptable` where there is none
 */
export function publishingOf({ sections }: SdpOffer): Publishing {
  const producers: Publishing['producers'] = [];
  const free = { audio: [...sources.audio], video: [...sources.video] };
  const answers = sections.map((section): AnsweredSection | null => {
    if (!section.kind) return null;
    if (!section.sends) throw unusable('WHIP is for sending: a=sendonly');
    const [chosen] = knownCodecs(section.kind, section.codecs);
    const source = chosen && free[section.kind].shift();
    if (!chosen || !source) return null;
    const rtpParameters = rtpParametersOf(section, chosen);
    producers.push({ source, rtpParameters });
    return answerTo(section, chosen, rtpParameters);
  });
  if (producers.length === 0) throw noCommonCodec();
  return { producers, answers };
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
    encodings: encodingsOf(section, rtx !== null),
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
  };
}

/** Losses are mended in the stream, and both channels are welcome where there are two. */
function opusToReceive(chosen: KnownCodec): string {
  const isStereo = Object.keys(stereoOf(chosen)).length > 0;
  return `minptime=10;useinbandfec=1${isStereo ? ';stereo=1;sprop-stereo=1' : ''}`;
}
