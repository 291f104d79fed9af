import type {
  DtlsParameters,
  IceParameters,
  RtpCapabilities,
  RtpParameters,
  Source,
  WireConsumer,
  WireTransport,
} from '../sdk/protocol/media.ts';
import type { PayloadTypes } from './router/payloadTypes.ts';
import type { Packaged } from './Packaging.ts';
import type { PlainAddress, PlainSource, EgressView } from './plainRtp.ts';

/**
 * The interface through which signalling uses media: rooms, the peers in them, and the tracks they send. Parameters, results and events are
 * plain data, so a room may live in this process or on another machine.
 *
 * Each peer has a tag, which signalling defines. Media does not interpret it, and includes it in every PeerInfo.
 */
export interface MediaCluster {
  /** The RTP capabilities of the routers, the same in every room. A client loads its mediasoup device with them once. */
  readonly rtpCapabilities: unknown;

  /** Creates the room unless it exists. */
  openRoom(roomId: string): Promise<void>;
  /** Ends the room and all media in it. Does nothing when the room does not exist. */
  closeRoom(roomId: string): Promise<void>;

  /** @throws ParleyError NOT_FOUND when there is no such room, VALIDATION_ERROR for invalid capabilities */
  join(roomId: string, peer: NewPeer): Promise<JoinedPeer>;
  /**
   * Returns a peer's current state after its device has reconnected, and updates the given members of its tag. Its transports stay open.
   * @throws ParleyError NOT_FOUND when the peer is gone, or belongs to another identity
   */
  resume(roomId: string, peer: ReturningPeer): Promise<ResumedPeer>;
  /**
   * Adds a peer whose camera (H264) and microphone (Opus) arrive as plain RTP, each at its own address.
   * @throws ParleyError NOT_FOUND
   */
  openIngest(roomId: string, ingest: NewIngest): Promise<OpenIngest>;
  /**
   * Sends one identity's camera and microphone, or its screen, to a plain RTP peer. Video is always sent in its highest layer. The
   * consumers are paused until they are resumed. Only tracks that exist now are sent. When one ends or another appears, `egressChanged`
   * reports it.
   * @throws ParleyError NOT_FOUND
   */
  openEgress(roomId: string, egress: NewEgress): Promise<OpenEgress>;
  /** Asks the publisher of an egress for a key frame, unless one was requested a moment ago. */
  requestKeyFrame(roomId: string, peerId: string): Promise<void>;
  /** The current HLS playlist of the room's publisher: see Packager.playlist(). */
  packaged(roomId: string): Promise<Packaged>;
  packagedFile(roomId: string, packageId: string, name: string): Promise<Buffer | null>;
  /**
   * The number of packets received so far from each source of a peer. The number may stand still while a source is active, for example when
   * a camera is blocked.
   * @throws ParleyError NOT_FOUND when the peer is gone
   */
  countPackets(roomId: string, peerId: string): Promise<PacketCount[]>;
  /** Does nothing when the peer or the room is gone. */
  leave(roomId: string, peerId: string): Promise<void>;
  /** Removes the peer with this identity. Does nothing when there is none, or the room is gone. */
  removeParticipant(roomId: string, identity: string): Promise<unknown>;
  /** The participants of the room, without viewers. */
  peers(roomId: string): Promise<PeerInfo[]>;

  connectTransport(
    roomId: string,
    peerId: string,
    transportId: string,
    dtlsParameters: DtlsParameters,
  ): Promise<void>;
  restartIce(roomId: string, peerId: string, transportId: string): Promise<IceParameters>;

  /** Publishes a source. A second producer of the same source replaces the first. */
  produce(roomId: string, peerId: string, producer: NewProducer): Promise<{ producerId: string }>;
  closeProducer(roomId: string, peerId: string, source: Source): Promise<void>;
  /** @returns false if the peer has no producer of this source */
  setPaused(roomId: string, peerId: string, source: Source, paused: boolean): Promise<boolean>;
  /** Consumers start paused, so that no packet arrives before the client is ready for it. */
  resumeConsumers(roomId: string, peerId: string, consumerIds: string[]): Promise<void>;

  /**
   * Reports the size at which the app shows each of these consumers' videos, or that the video is hidden. Other consumers keep their view.
   * Closed consumers are ignored.
   */
  setViews(roomId: string, peerId: string, views: View[]): Promise<void>;

  on<Name extends keyof MediaEvents>(event: Name, handler: (payload: MediaEvents[Name]) => void): void;
  close(): Promise<void>;
}

export interface MediaEvents {
  /** A new consumer was created for the peer `to`. It is paused. */
  consumer: { roomId: string; to: PeerInfo; from: PeerInfo; consumer: ConsumerInfo };
  /** A track of this egress has ended, or its publisher has a new track that it does not send. Close the egress and open another. */
  egressChanged: { roomId: string; to: PeerInfo };
  consumerClosed: { roomId: string; to: PeerInfo; consumerId: string };
  /** The peer started or stopped sending a source. */
  peerUpdated: { roomId: string; peer: PeerInfo };
  /** Some or all of the room's media was lost. These peers have to join again; all other peers continue. */
  roomRestarted: { roomId: string; lost: PeerInfo[] };
  /**
   * The node that serves these peers is draining. They have to join the room again, on another node. Until then, packets still flow through
   * the old one.
   */
  roomMoving: { roomId: string; peers: PeerInfo[] };
  /** The connection to the room was interrupted and events may be missing. These peers should load the room's state again (`resume`). */
  eventsMissed: { roomId: string; peers: PeerInfo[] };
  /** In multiparty rooms: the active speakers, the loudest first. Level is 0 to 1. */
  speakers: { roomId: string; speakers: { peer: PeerInfo; level: number }[] };
  /** In multiparty rooms: the highest layer of this video that any subscriber needs; -1 for none. The peer need not send higher layers. */
  layersWanted: { roomId: string; to: PeerInfo; source: Source; layer: number };
  /** The peer has closed its media connection, did not connect in time, or has been silent for half a minute. It is still in the room. */
  disconnected: { roomId: string; peer: PeerInfo };
  /** In multiparty rooms: the connection quality of this peer in each direction, 0 to 10; null while nothing is sent or received. */
  quality: {
    roomId: string;
    peer: PeerInfo;
    sending: number | null;
    receiving: number | null;
    /** Whether packets arrived recently from any producer with `tellsArrival`. */
    isArriving: boolean;
  };
}

export interface PacketCount {
  source: Source;
  packets: number;
}

export type PeerTag = Readonly<Record<string, unknown>>;

export interface NewPeer {
  peerId: string;
  /** Two peers with one identity are one participant on two devices: the later peer replaces the earlier one. */
  identity: string;
  tag: PeerTag;
  rtpCapabilities: RtpCapabilities;
  /**
   * Whether the room may have many peers. Such a room may extend over several workers and nodes, forwards only the loudest microphones once
   * it is large, lets publishers send only the layers in use, and requests at most one key frame a second from each publisher.
   */
  multiparty: boolean;
  /** The payload types of the packets that the device receives, if it chose them itself (WHEP). @default those of the room */
  payloadTypes?: PayloadTypes | undefined;
  /** A viewer: it cannot publish, and the other peers get no events about it. @default false */
  isViewer?: boolean | undefined;
  /** The maximum total bitrate of everything the peer sends, in bits per second. @default 8 Mbit/s in multiparty rooms */
  maxIncomingBitrate?: number | undefined;
}

export type ReturningPeer = Pick<NewPeer, 'peerId' | 'identity' | 'tag'>;

export interface NewIngest extends ReturningPeer {
  /** Its sources and their SSRCs. */
  tracks: { source: PlainSource; ssrc: number }[];
  size?: { width: number; height: number } | undefined;
  /** The key that encrypts packets between hosts, from newSrtpKey(). */
  srtpKeyBase64: string;
}

export interface OpenIngest {
  /** The peer that had this identity until now. */
  replaced: PeerInfo | null;
  tracks: { source: PlainSource; ssrc: number; payloadType: number; to: PlainAddress }[];
}

export interface NewEgress {
  peerId: string;
  tag: PeerTag;
  /** The identity of the publisher. */
  of: string;
  shows: EgressView;
  /**
   * Where the plain RTP peer listens: at 127.0.0.1, or at `ip` when packets come from another host. RTCP uses the port after each of these.
   */
  ip: string;
  ports: { video: number; audio: number };
}

export interface OpenEgress {
  tracks: {
    source: Source;
    consumerId: string;
    rtpParameters: RtpParameters;
    /** The source address of the packets. */
    from: PlainAddress;
    /** The size of the video; 1280x720 if unknown. */
    size: { width: number; height: number };
  }[];
}

export interface NewProducer {
  source: Source;
  rtpParameters: RtpParameters;
  paused: boolean;
  /** Whether `quality` events report when its packets start and stop arriving. @default false */
  tellsArrival?: boolean | undefined;
  /** The size of the video; 1280x720 if unknown. */
  size?: { width: number; height: number } | undefined;
  /**
   * Another source of the same peer that this producer depends on. The producer is paused unless that source is sent, and closes with it.
   * Either may be created first.
   */
  along?: Source | undefined;
}

/** How an app shows a consumer's video: whether it is visible, and its size in physical pixels. */
export interface View {
  consumerId: string;
  isVisible: boolean;
  width: number;
  height: number;
}

export interface PeerInfo {
  peerId: string;
  tag: PeerTag;
  /** Its active sources. Paused producers are left out. */
  sending: Source[];
}

export type ConsumerInfo = Omit<WireConsumer, 'participant'>;

export interface Surroundings {
  /** The other peers in the room, without viewers. */
  peers: PeerInfo[];
  /** The consumers through which this peer receives their publications. */
  consumers: { from: PeerInfo; consumer: ConsumerInfo }[];
}

export interface ResumedPeer extends Surroundings {
  /**
   * The peer's own publications. `isHalted`: the peer or a host has paused it. `layer`: the highest layer in use; null where demand is not
   * measured.
   */
  sent: { source: Source; isHalted: boolean; layer: number | null }[];
}

export interface JoinedPeer extends Surroundings {
  /** Null for viewers. */
  sendTransport: WireTransport | null;
  recvTransport: WireTransport;
  /** The peer that had this identity until now. */
  replaced: PeerInfo | null;
}
