import { parseParams, type MediaDescription } from 'sdp-transform';

/** A codec of an offer, with the payload type of its retransmissions. */
export interface OfferedCodec {
  payloadType: number;
  /** In lower case. */
  mimeType: string;
  clockRate: number;
  channels: number;
  parameters: Record<string, string | number>;
  /** The unparsed a=fmtp value. */
  fmtp: string | null;
  rtcpFeedback: { type: string; parameter?: string }[];
  rtxPayloadType: number | null;
}

/** The codecs of an m-line in order, without those that do not carry media themselves, such as retransmission and error correction. */
export function offeredCodecs(media: MediaDescription, payloads: number[]): OfferedCodec[] {
  const rtx = new Map<number, number>();
  for (const line of media.rtp) {
    const apt = Number(parametersOf(media, line.payload)['apt']);
    if (nameOf(line) === 'rtx' && !rtx.has(apt)) rtx.set(apt, line.payload);
  }
  return payloads.flatMap((payloadType) => {
    const line = media.rtp.find(({ payload }) => payload === payloadType);
    if (!line?.rate || helpers.has(nameOf(line))) return [];
    return [
      {
        payloadType,
        mimeType: `${media.type}/${nameOf(line)}`,
        clockRate: line.rate,
        channels: Number(line.encoding ?? 1),
        parameters: parametersOf(media, payloadType),
        fmtp: fmtpOf(media, payloadType),
        rtcpFeedback: feedbackOf(media, payloadType),
        rtxPayloadType: rtx.get(payloadType) ?? null,
      },
    ];
  });
}

/** sdp-transform turns values that consist of digits into numbers. */
const nameOf = ({ codec }: MediaDescription['rtp'][number]): string => String(codec).toLowerCase();

const helpers = new Set(['rtx', 'red', 'ulpfec', 'flexfec-03', 'telephone-event', 'cn']);

function fmtpOf({ fmtp = [] }: MediaDescription, payloadType: number): string | null {
  const found = fmtp.find(({ payload }) => payload === payloadType);
  return found ? String(found.config) : null;
}

function parametersOf(media: MediaDescription, payloadType: number): OfferedCodec['parameters'] {
  const parsed = Object.entries(parseParams(fmtpOf(media, payloadType) ?? ''));
  return Object.fromEntries(
    parsed.flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), value]])),
  );
}

function feedbackOf({ rtcpFb = [] }: MediaDescription, payloadType: number): OfferedCodec['rtcpFeedback'] {
  return rtcpFb
    .filter(({ payload }) => payload === '*' || Number(payload) === payloadType)
    .map(({ type, subtype }) => ({ type, ...(subtype ? { parameter: subtype } : {}) }));
}
