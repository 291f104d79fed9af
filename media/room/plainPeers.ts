import type { ConsumerInfo, NewIngest, NewTap, OpenIngest, OpenTap } from '../MediaCluster.ts';
import type { Member, NewProgram, Sent } from './Member.ts';
import { kindOf, plainPayloadTypes } from '../plainRtp.ts';
import type { PlainEnds } from '../router/RoomRouter.ts';

/* Programs that speak plain RTP, as members of a room. */

/** What somebody receives, and of whom. */
export interface Received {
  sent: Sent;
  consumer: ConsumerInfo;
}

/** @param nodeId the node it runs on; null for that of the room */
export const sendingProgram = (ingest: NewIngest, nodeId: string | null): NewProgram => ({
  ...ingest,
  ...{ nodeId, receivesAt: null, taps: null },
});

/** @param nodeId the node it runs on; null for that of the room */
export const receivingProgram = (
  { peerId, tag, of, shows, ip, ports }: NewTap,
  nodeId: string | null,
): NewProgram => ({
  ...{ peerId, tag, nodeId, seat: peerId, srtpKeyBase64: '', taps: { seat: of, shows } },
  receivesAt: { ip, ports },
});

/** Where one that sends does so. */
export const ingestInto = (
  ends: PlainEnds,
  tracks: NewIngest['tracks'],
  replaced: Member | null,
): OpenIngest => ({
  replaced: replaced?.info ?? null,
  tracks: tracks.map(({ source, ssrc }) => ({
    ...{ source, ssrc, payloadType: plainPayloadTypes[source] },
    to: ends[kindOf(source)],
  })),
});

/** What one that receives is sent, and from where. */
export const tapOf = (ends: PlainEnds, consumers: readonly Received[]): OpenTap => ({
  tracks: consumers.map(({ sent, consumer: { id, kind, rtpParameters } }) => ({
    ...{ source: sent.source, consumerId: id, rtpParameters, size: sent.size },
    from: ends[kind],
  })),
});
