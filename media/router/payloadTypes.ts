import { ortc, type types } from 'mediasoup';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { mediaCodecs } from './codecs.ts';

/** The payload types a device takes packets under, by codec (its MIME type in lower case), where it has chosen them itself. */
export type PayloadTypes = Readonly<Record<string, number>>;

/** Devices with the same numbering may share a router. */
export function payloadTypesOf(payloadTypes: PayloadTypes | undefined): string {
  const entries = Object.entries(payloadTypes ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([codec, payloadType]) => `${codec}=${payloadType}`).join(' ');
}

/**
 * The codecs of a room for a router that sends them under these payload types; those that are not named take any. mediasoup gives each
 * picture's codec a second one for retransmissions, the first that is free when it comes to it: in one order or another these hit none of the
 * chosen ones.
 * @throws ParleyError VALIDATION_ERROR where two codecs have the same, or one is out of range
 */
export function withPayloadTypes(payloadTypes: PayloadTypes | undefined): types.RouterRtpCodecCapability[] {
  if (!payloadTypes) return mediaCodecs;
  const isChosen = ({ mimeType }: { mimeType: string }) => payloadTypes[mimeType.toLowerCase()] !== undefined;
  const codecs = mediaCodecs.map(({ preferredPayloadType: _rooms, ...codec }) => {
    const preferredPayloadType = payloadTypes[codec.mimeType.toLowerCase()];
    return preferredPayloadType === undefined ? codec : { ...codec, preferredPayloadType };
  });
  const others = codecs.filter((codec) => !isChosen(codec));
  for (const order of ordersOf(codecs.filter(isChosen))) {
    const all = [...order, ...others];
    if (isPossible(all)) return all;
  }
  throw new ParleyError('VALIDATION_ERROR', 'These payload types can’t be used together.', {
    reason: 'not_acceptable',
  });
}

function isPossible(codecs: types.RouterRtpCodecCapability[]): boolean {
  try {
    // It writes into what it is given.
    ortc.generateRouterRtpCapabilities(structuredClone(codecs));
    return true;
  } catch {
    return false;
  }
}

function ordersOf<T>(items: T[]): T[][] {
  if (items.length < 2) return [items];
  return items.flatMap((first) => {
    const rest = items.filter((item) => item !== first);
    return ordersOf(rest).map((order) => [first, ...order]);
  });
}
