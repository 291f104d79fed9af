import { ortc, type types } from 'mediasoup';
import { z } from 'zod';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { mediaCodecs } from './codecs.ts';

/** The payload types a device chose for its codecs, by MIME type in lower case. */
export const payloadTypes = z.record(z.string().max(64), z.int().min(0).max(127));
export type PayloadTypes = Readonly<z.output<typeof payloadTypes>>;

/** A string that identifies a payload-type mapping. Devices with the same mapping may share a router. */
export function payloadTypesOf(payloadTypes: PayloadTypes | undefined): string {
  const entries = Object.entries(payloadTypes ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([codec, payloadType]) => `${codec}=${payloadType}`).join(' ');
}

/**
 * The codecs of a room for a router with these payload types. Codecs without a chosen type get any free one. mediasoup also assigns each
 * video codec a type for retransmissions: the first free one, in the order of the codecs. Therefore different orders are tried until none
 * of these types collides with a chosen one.
 * @throws ParleyError VALIDATION_ERROR when two codecs have the same type, or one is out of range
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
    // mediasoup modifies its argument.
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
