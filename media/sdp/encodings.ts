import { parseSimulcastStreamList, type MediaDescription } from 'sdp-transform';
import type { RtpParameters } from '../../sdk/protocol/media.ts';
import { unusable, type OfferSection } from './SdpOffer.ts';

type Encodings = NonNullable<RtpParameters['encodings']>;

const maxLayers = 4;
const midUri = 'urn:ietf:params:rtp-hdrext:sdes:mid';
const descriptorUri =
  'https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension';
const ridUri = 'urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id';

/**
 * The streams of an m-line, the smallest video first: simulcast by rid (OBS and browsers), simulcast by SSRC, or a single stream.
 *
 * Layers are only used with H264 and VP8. For other codecs, including Opus, only the largest layer is used. The same applies to VP8 without
 * dependency descriptors: each of its layers has its own picture numbers, and mediasoup rewrites them only if there are temporal layers, so
 * a viewer that switches layers would decode broken video. With descriptors, browsers leave the numbers out.
 */
export function encodingsOf(
  { media, extensions }: OfferSection,
  { hasRtx, mimeType }: { hasRtx: boolean; mimeType: string },
): Encodings {
  const has = (uri: string) => extensions.some((extension) => extension.uri === uri);
  const hasLayers = mimeType === 'video/h264' || (mimeType === 'video/vp8' && has(descriptorUri));
  const taken = <T>(layers: T[]) => (hasLayers ? layers : layers.slice(-1));
  const rids = ridsOf(media);
  if (rids.length > 1) {
    if (rids.length > maxLayers) throw unusable(`it has more than ${maxLayers} layers of simulcast`);
    if (!has(midUri) || !has(ridUri)) throw unusable('simulcast needs the header extensions mid and rid');
    return taken(smallestFirst(rids)).map((rid) => ({ rid }));
  }
  const ssrcs = ssrcsOf(media);
  if (ssrcs.length > 0)
    return taken(ssrcs).map(({ ssrc, rtx }) => ({
      ssrc,
      ...(hasRtx && rtx !== undefined ? { rtx: { ssrc: rtx } } : {}),
    }));
  if (rids.length === 1 && has(midUri) && has(ridUri)) return rids.map((rid) => ({ rid }));
  if (has(midUri)) return [{}];
  throw unusable('an m-line has neither a=ssrc nor the header extension mid');
}

/** The layers of simulcast by rid, in the order of the offer. */
export function ridsOf({ simulcast, rids = [] }: MediaDescription): string[] {
  const list =
    simulcast?.dir1 === 'send' ? simulcast.list1 : simulcast?.dir2 === 'send' ? simulcast.list2 : null;
  if (!list) return [];
  const sent = new Set(rids.filter(({ direction }) => direction === 'send').map(({ id }) => String(id)));
  // If a layer has alternatives, the first one is used.
  return parseSimulcastStreamList(String(list)).flatMap(([format]) =>
    format && sent.has(String(format.scid)) ? [String(format.scid)] : [],
  );
}

/** Common sets of layer names that state the size, the smallest layer first. */
const namesBySize = [
  ['q', 'h', 'f'],
  ['l', 'm', 'h'],
  ['low', 'mid', 'high'],
  ['low', 'medium', 'high'],
  ['small', 'medium', 'large'],
  ['lo', 'mid', 'hi'],
];

/**
 * Sorts layers by size, the smallest first. In RFC 8853 the preferred layer comes first; encoders that use another order use names that
 * state the size.
 */
function smallestFirst(rids: string[]): string[] {
  const names = namesBySize.find((sizes) => rids.every((rid) => sizes.includes(rid.toLowerCase())));
  if (!names) return rids.toReversed();
  return rids.toSorted((a, b) => names.indexOf(a.toLowerCase()) - names.indexOf(b.toLowerCase()));
}

function ssrcsOf({ ssrcs = [], ssrcGroups = [] }: MediaDescription): { ssrc: number; rtx?: number }[] {
  const groups = ssrcGroups.map(({ semantics, ssrcs: list }) => ({
    semantics,
    members: String(list).split(/\s+/).map(Number),
  }));
  const rtx = new Map(
    groups.flatMap(({ semantics, members: [of, by] }) =>
      semantics === 'FID' && of !== undefined && by !== undefined ? [[of, by] as const] : [],
    ),
  );
  const repairs = new Set(rtx.values());
  const simulcast = groups.find(({ semantics }) => semantics === 'SIM')?.members;
  const all = [...new Set(ssrcs.map(({ id }) => Number(id)))].filter((ssrc) => !repairs.has(ssrc));
  // Without a SIM group the first SSRC is the stream.
  return (simulcast ?? all.slice(0, 1)).slice(0, maxLayers).map((ssrc) => {
    const repair = rtx.get(ssrc);
    return { ssrc, ...(repair === undefined ? {} : { rtx: repair }) };
  });
}
