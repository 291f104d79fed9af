import type {
  ConsumerInfo,
  NewEgress,
  NewIngest,
  NewProducer,
  OpenEgress,
  OpenIngest,
} from '../roomOperations.ts';
import type { Member, NewPlainPeer, Publication } from './Member.ts';
import { kindOf, plainPayloadTypes, plainRtpParameters } from '../plainRtp.ts';
import type { PlainEnds } from '../router/routerOperations.ts';

/* Plain RTP peers as members of a room. */

/** A consumer and the publication it receives. */
export interface Received {
  publication: Publication;
  consumer: ConsumerInfo;
}

export const sendingPlainPeer = ({ nodeId = null, ...ingest }: NewIngest): NewPlainPeer => ({
  ...ingest,
  nodeId,
  receivesAt: null,
  egresses: null,
});

export const receivingPlainPeer = ({
  peerId,
  tag,
  nodeId = null,
  of,
  shows,
  ip,
  ports,
}: NewEgress): NewPlainPeer => ({
  peerId,
  tag,
  nodeId,
  identity: peerId,
  srtpKeyBase64: '',
  egresses: { identity: of, shows },
  receivesAt: { ip, ports },
});

/** What a peer that sends publishes. */
export const producersOf = ({ tracks, size }: NewIngest): NewProducer[] =>
  tracks.map(({ source, ssrc }) => ({
    source,
    rtpParameters: plainRtpParameters(source, ssrc),
    paused: false,
    size,
    tellsArrival: true,
  }));

/** The answer to openIngest(): the addresses that the peer sends to. */
export function ingestInto(member: Member, tracks: NewIngest['tracks'], replaced: Member | null): OpenIngest {
  const ends = endsOf(member);
  return {
    replaced: replaced?.info ?? null,
    tellsArrival: true,
    tracks: tracks.map(({ source, ssrc }) => ({
      source,
      ssrc,
      payloadType: plainPayloadTypes[source],
      to: ends[kindOf(source)],
    })),
  };
}

/** The answer to openEgress(): the tracks that the peer receives, and their source addresses. */
export function egressOf(member: Member, consumers: readonly Received[]): OpenEgress {
  const ends = endsOf(member);
  return {
    tracks: consumers.map(({ publication, consumer: { id, kind, rtpParameters } }) => ({
      source: publication.source,
      consumerId: id,
      rtpParameters,
      size: publication.size,
      from: ends[kind],
    })),
  };
}

function endsOf({ ends }: Member): PlainEnds {
  if (!ends) throw new Error('A plain RTP peer has ends.');
  return ends;
}
