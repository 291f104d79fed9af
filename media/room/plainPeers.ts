import type { ConsumerInfo, NewIngest, NewEgress, OpenIngest, OpenEgress } from '../MediaCluster.ts';
import type { Member, NewPlainPeer, Publication } from './Member.ts';
import { kindOf, plainPayloadTypes } from '../plainRtp.ts';
import type { PlainEnds } from '../router/RoomRouter.ts';

/* Plain RTP peers as members of a room. */

/** A consumer and the publication it receives. */
export interface Received {
  publication: Publication;
  consumer: ConsumerInfo;
}

/** @param nodeId the node it runs on; null for the node of the room */
export const sendingPlainPeer = (ingest: NewIngest, nodeId: string | null): NewPlainPeer => ({
  ...ingest,
  nodeId,
  receivesAt: null,
  egresses: null,
});

/** @param nodeId the node it runs on; null for the node of the room */
export const receivingPlainPeer = (
  { peerId, tag, of, shows, ip, ports }: NewEgress,
  nodeId: string | null,
): NewPlainPeer => ({
  peerId,
  tag,
  nodeId,
  identity: peerId,
  srtpKeyBase64: '',
  egresses: { identity: of, shows },
  receivesAt: { ip, ports },
});

/** The answer to openIngest(): the addresses that the peer sends to. */
export const ingestInto = (
  ends: PlainEnds,
  tracks: NewIngest['tracks'],
  replaced: Member | null,
): OpenIngest => ({
  replaced: replaced?.info ?? null,
  tracks: tracks.map(({ source, ssrc }) => ({
    source,
    ssrc,
    payloadType: plainPayloadTypes[source],
    to: ends[kindOf(source)],
  })),
});

/** The answer to openEgress(): the tracks that the peer receives, and their source addresses. */
export const egressOf = (ends: PlainEnds, consumers: readonly Received[]): OpenEgress => ({
  tracks: consumers.map(({ publication, consumer: { id, kind, rtpParameters } }) => ({
    source: publication.source,
    consumerId: id,
    rtpParameters,
    size: publication.size,
    from: ends[kind],
  })),
});
