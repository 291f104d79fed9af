import { z } from 'zod';
import {
  consumer,
  dtlsParameters,
  iceParameters,
  mediaId,
  rtpCapabilities,
  rtpParameters,
  source,
  transport,
  videoSize,
  view,
} from '../sdk/protocol/media.ts';
import { nothing, type Operations } from './operations.ts';
import { packaged } from './Packaging.ts';
import { egressView, plainAddress, plainSource, rtpPort, srtpKey, ssrc } from './plainRtp.ts';
import { payloadTypes } from './router/payloadTypes.ts';

/*
 * What signalling asks of a room. Parameters, results and events are plain data, so the room may be in this process or on another node.
 * Every operation throws ParleyError NOT_FOUND when there is no such room, and those with a `peerId` also when the peer is gone, unless
 * they say otherwise.
 */

export const id = z.string().min(1).max(64);
const identity = z.string().max(256);

/** Defined by signalling. Media does not interpret it, and includes it in every PeerInfo. */
const tag = z.record(z.string(), z.unknown());
export type PeerTag = Readonly<z.output<typeof tag>>;

/**
 * The revision of the membership on which signalling based its decision. Each change of a membership raises it. The room compares the
 * revisions of one identity, so that a decision has no effect after a later one. Older nodes do not send it.
 */
const revision = z.int().nonnegative().optional();

const returningPeer = z.strictObject({
  peerId: id,
  /** Two peers with one identity are one participant on two devices: the later peer replaces the earlier one. */
  identity,
  tag,
  revision,
  /** Orders joins with the same revision, which come from one connection: an earlier one that arrives later is refused. */
  order: z.int().nonnegative().optional(),
});
export type ReturningPeer = z.output<typeof returningPeer>;

const newPeer = returningPeer.extend({
  rtpCapabilities,
  /**
   * Whether the room may have many peers. Such a room may extend over several workers and nodes, forwards only the loudest microphones once
   * it is large, lets publishers send only the layers in use, and requests at most one key frame a second from each publisher.
   */
  multiparty: z.boolean(),
  /** The payload types of the packets that the device receives, if it chose them itself (WHEP). @default those of the room */
  payloadTypes: payloadTypes.optional(),
  /** A viewer: it cannot publish, and the other peers get no events about it. @default false */
  isViewer: z.boolean().optional(),
  /** Whether the peer gets the media of the others. @default true */
  receives: z.boolean().optional(),
  /** The maximum total bitrate of everything the peer sends, in bits per second. @default 8 Mbit/s in multiparty rooms */
  maxIncomingBitrate: z.int().positive().optional(),
  /**
   * Whether the device repeats its consent to receive (RFC 7675), as browsers do. With false, it counts as lost when nothing arrives from it.
   * @default true
   */
  consents: z.boolean().optional(),
});
export type NewPeer = z.output<typeof newPeer>;

/** The node that a plain RTP peer runs on; null for the node that owns the room. RemoteMediaCluster sets it. @default null */
const nodeId = id.nullish();

const newIngest = returningPeer.extend({
  nodeId,
  /** Its sources and their SSRCs. */
  tracks: z.array(z.object({ source: plainSource, ssrc })).max(2),
  size: videoSize.optional(),
  /** The key that encrypts packets between hosts, from newSrtpKey(). */
  srtpKeyBase64: srtpKey,
});
export type NewIngest = z.output<typeof newIngest>;

const newEgress = z.strictObject({
  peerId: id,
  tag,
  nodeId,
  /** The identity of the publisher. */
  of: identity,
  shows: egressView,
  /**
   * Where the plain RTP peer listens: at 127.0.0.1, or at `ip` when packets come from another host. RTCP uses the port after each of these.
   */
  ip: z.string().max(64),
  ports: z.object({ video: rtpPort, audio: rtpPort }),
});
export type NewEgress = z.output<typeof newEgress>;

const newProducer = z.strictObject({
  source,
  rtpParameters,
  paused: z.boolean(),
  /** Whether `arriving` events report when packets of its sender start and stop arriving. @default false */
  tellsArrival: z.boolean().optional(),
  /** The size of the video; 1280x720 if unknown. */
  size: videoSize.optional(),
  /**
   * Another source of the same peer that this producer depends on. The producer is paused unless that source is sent, and closes with it.
   * Either may be created first.
   */
  along: source.optional(),
  revision,
});
export type NewProducer = z.output<typeof newProducer>;

export const peerInfo = z.object({
  peerId: id,
  tag,
  /** Its active sources. Paused producers are left out. */
  sending: z.array(source),
});
export type PeerInfo = z.output<typeof peerInfo>;

export const consumerInfo = consumer.omit({ participant: true });
export type ConsumerInfo = z.output<typeof consumerInfo>;

const surroundings = z.object({
  /** The other peers in the room, without viewers. */
  peers: z.array(peerInfo),
  /** The consumers through which this peer receives their publications. */
  consumers: z.array(z.object({ from: peerInfo, consumer: consumerInfo })),
});
/** The peer that had this identity until now. */
const replaced = peerInfo.nullable();

const joinedPeer = surroundings.extend({
  /** Null for viewers. */
  sendTransport: transport.nullable(),
  recvTransport: transport,
  replaced,
});
export type JoinedPeer = z.output<typeof joinedPeer>;

const resumedPeer = surroundings.extend({
  /**
   * The peer's own publications. `isHalted`: the peer or a host has paused it. `layer`: the highest layer in use; null where demand is not
   * measured.
   */
  sent: z.array(z.object({ source, isHalted: z.boolean(), layer: z.int().nullable() })).default([]),
});
export type ResumedPeer = z.output<typeof resumedPeer>;

const openIngest = z.object({
  replaced,
  /** Whether `arriving` events follow. Nodes of the previous release send none for plain RTP. */
  tellsArrival: z.boolean().default(false),
  tracks: z.array(
    z.object({ source: plainSource, ssrc, payloadType: z.int().min(0).max(127), to: plainAddress }),
  ),
});
export type OpenIngest = z.output<typeof openIngest>;

const openEgress = z.object({
  tracks: z.array(
    z.object({
      source,
      consumerId: mediaId,
      rtpParameters,
      /** The source address of the packets. */
      from: plainAddress,
      /** The size of the video; 1280x720 if unknown. */
      size: videoSize,
    }),
  ),
});
export type OpenEgress = z.output<typeof openEgress>;

const packetCount = z.object({ source, packets: z.int() });
export type PacketCount = z.output<typeof packetCount>;

/** How an app shows a consumer's video: whether it is visible, and its size in physical pixels. */
export type View = z.output<typeof view>;

const peer = { peerId: id };

export const roomOperations = {
  /** @throws ParleyError VALIDATION_ERROR for invalid capabilities, CONFLICT (isSuperseded) when the membership is over */
  join: { request: newPeer, response: joinedPeer },
  /**
   * Adds a peer whose DTLS and RTP parameters are known in advance (WHIP, WHEP): joins, connects its transport for sending, or for receiving
   * if it is a viewer, and publishes its sources. A failure leaves nothing behind.
   */
  joinConnected: {
    request: newPeer.extend({ dtlsParameters, producers: z.array(newProducer).max(4) }),
    response: joinedPeer,
  },
  /**
   * Returns a peer's current state after its device has reconnected, and updates the given members of its tag. Its transports stay open.
   * @throws ParleyError NOT_FOUND also when the peer belongs to another identity
   */
  resume: { request: returningPeer, response: resumedPeer },
  /** Adds a peer whose camera (H264) and microphone (Opus) arrive as plain RTP, each at its own address. `arriving` reports its packets. */
  openIngest: { request: newIngest, response: openIngest },
  /**
   * Sends one identity's camera and microphone, or its screen, to a plain RTP peer. Video is always sent in its highest layer. The
   * consumers are paused until they are resumed. Only tracks that exist now are sent. When one ends or another appears, `egressChanged`
   * reports it.
   */
  openEgress: { request: newEgress, response: openEgress },
  /** Asks the publisher of an egress for a key frame, unless one was requested a moment ago. */
  requestKeyFrame: { request: z.strictObject(peer), response: nothing },
  /** The current HLS playlist of the room's publisher: see Packager.playlist(). */
  packaged: { request: z.strictObject({}), response: packaged },
  /** @returns null for a file that does not exist or was removed */
  packagedFile: {
    request: z.strictObject({ packageId: id, name: z.string().max(64) }),
    response: z.object({ bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array).nullable() }),
  },
  /**
   * The number of packets received so far from each source of a peer. The number may stand still while a source is active, for example when
   * a camera is blocked.
   */
  countPackets: { request: z.strictObject(peer), response: z.array(packetCount) },
  /** Does nothing when the peer is gone. */
  leave: { request: z.strictObject(peer), response: nothing },
  /**
   * Removes the peers with this identity, and returns their ids. Older nodes do not send them. Peers whose revision is at least `revision`
   * stay, and later joins with a lower one are refused.
   */
  removeParticipant: {
    request: z.strictObject({ identity, revision }),
    response: z.object({ peerIds: z.array(id).default([]) }),
  },
  /** The participants of the room, without viewers. */
  peers: { request: z.strictObject({}), response: z.array(peerInfo) },
  connectTransport: {
    request: z.strictObject({ ...peer, transportId: mediaId, dtlsParameters }),
    response: nothing,
  },
  restartIce: { request: z.strictObject({ ...peer, transportId: mediaId }), response: iceParameters },
  /** Publishes a source. A second producer of the same source replaces the first; the same request again has no effect. */
  produce: {
    request: newProducer.extend(peer),
    response: z.object({ producerId: mediaId }),
  },
  /** With a revision, the peer may not produce the source with a lower one. */
  closeProducer: { request: z.strictObject({ ...peer, source, revision }), response: nothing },
  /**
   * With a revision, `paused` also applies to a producer that is created later with a lower one.
   * @returns false if the peer has no producer of this source
   */
  setPaused: {
    request: z.strictObject({ ...peer, source, paused: z.boolean(), revision }),
    response: z.boolean(),
  },
  /** Consumers start paused, so that no packet arrives before the client is ready for it. */
  resumeConsumers: {
    request: z.strictObject({ ...peer, consumerIds: z.array(mediaId).max(1_000) }),
    response: nothing,
  },
  /**
   * Reports the size at which the app shows each of these consumers' videos, or that the video is hidden. Other consumers keep their view.
   * Closed consumers are ignored.
   */
  setViews: { request: z.strictObject({ ...peer, views: z.array(view).max(1_000) }), response: nothing },
} as const;

export type RoomOperations = Operations<typeof roomOperations>;
