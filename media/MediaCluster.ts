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
 * How signalling uses media: rooms, peers in them and what they send. Everything that crosses this interface is plain data, so a room
 * may live in this process or on another machine.
 *
 * Each peer has a tag. It belongs to signalling; media stores it and hands it back unchanged.
 */
export interface MediaCluster {
  /** Capabilities of every room's router. A client loads its device with them once. */
  readonly rtpCapabilities: unknown;

  /** Creates the room unless it exists. */
  openRoom(roomId: string): Promise<void>;
  /** Ends the room and all media in it. Does nothing when the room does not exist. */
  closeRoom(roomId: string): Promise<void>;

  /** @throws ParleyError NOT_FOUND when there is no such room, VALIDATION_ERROR for invalid capabilities */
  join(roomId: string, peer: NewPeer): Promise<JoinedPeer>;
  /**
   * Changes the given members of a peer's tag, because its device has a new connection. Its transports stay open.
   * @throws ParleyError NOT_FOUND when the peer is gone, or another peer has its identity
   */
  resume(roomId: string, peer: ReturningPeer): Promise<ResumedPeer>;
  /**
   * Adds a peer whose camera (H264) and microphone (Opus) arrive as plain RTP, each at its own address.
   * @throws ParleyError NOT_FOUND
   */
  openIngest(roomId: string, ingest: NewIngest): Promise<OpenIngest>;
  /**
   * Sends one identity's camera and microphone, or its screen, to a plain RTP peer, in the highest layer. The consumers are paused until
   * they are resumed. Only tracks that exist now are sent. When one ends or another appears, `egressChanged` reports it.
   * @throws ParleyError NOT_FOUND
   */
  openEgress(roomId: string, egress: NewEgress): Promise<OpenEgress>;
  /** Asks the publisher of an egress for a key frame, unless one was requested a moment ago. */
  requestKeyFrame(roomId: string, peerId: string): Promise<void>;
  /** The publisher's media as segments: see Packager. */
  packaged(roomId: string): Promise<Packaged>;
  packagedFile(roomId: string, packageId: string, name: string): Promise<Buffer | null>;
  /**
   * The number of packets received so far from each source of a peer. A source may be silent, for example a blocked camera.
   * @throws ParleyError NOT_FOUND when it is gone
   */
  countPackets(roomId: string, peerId: string): Promise<PacketCount[]>;
  /** Nothing happens when the peer or the room is gone. */
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

  /** Sends into the room. A second producer of the same source replaces the first. */
  produce(roomId: string, peerId: string, producer: NewProducer): Promise<{ producerId: string }>;
  closeProducer(roomId: string, peerId: string, source: Source): Promise<void>;
  /** @returns whether there is such a producer */
  setPaused(roomId: string, peerId: string, source: Source, paused: boolean): Promise<boolean>;
  /** Consumers start paused, so that no packet arrives before the client is ready for it. */
  resumeConsumers(roomId: string, peerId: string, consumerIds: string[]): Promise<void>;

  /** Sets how large the app shows these consumers. Other consumers keep their view. Closed consumers are ignored. */
  setViews(roomId: string, peerId: string, views: View[]): Promise<void>;

  on<Name extends keyof MediaEvents>(event: Name, handler: (payload: MediaEvents[Name]) => void): void;
  close(): Promise<void>;
}

export interface MediaEvents {
  /** A paused consumer is ready for the peer `to`. */
  consumer: { roomId: string; to: PeerInfo; from: PeerInfo; consumer: ConsumerInfo };
  /** A track of this egress has ended, or there is a track it does not send. Close it and open another. */
  egressChanged: { roomId: string; to: PeerInfo };
  consumerClosed: { roomId: string; to: PeerInfo; consumerId: string };
  /** The peer began or stopped sending something. */
  peerUpdated: { roomId: string; peer: PeerInfo };
  /** Some or all of the room's media was lost. These peers have to join again; all others continue. */
  roomRestarted: { roomId: string; lost: PeerInfo[] };
  /** The node or worker of these peers is about to stop. They have to join the room again on another node. Packets still flow here. */
  roomMoving: { roomId: string; peers: PeerInfo[] };
  /** The connection to the room was interrupted and events may be missing. These peers should load its state again (`resume`). */
  eventsMissed: { roomId: string; peers: PeerInfo[] };
  /** In multiparty rooms: the active speakers, the loudest first. Level is 0 to 1. */
  speakers: { roomId: string; speakers: { peer: PeerInfo; level: number }[] };
  /** In multiparty rooms: the highest layer of this video that any subscriber needs, -1 for none. The peer need not send layers above it. */
  layersWanted: { roomId: string; to: PeerInfo; source: Source; layer: number };
  /** The peer has ended its connection, or sent nothing for half a minute. It is still in the room. */
  disconnected: { roomId: string; peer: PeerInfo };
  /** In multiparty rooms: connection quality of this peer, 0 to 10; null where nothing is sent or received. */
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
   * The room may have many peers. It may then spread over workers and nodes, forwards only the loudest microphones once it is large,
   * lets publishers send only the layers in use, and requests at most one key frame a second.
   */
  multiparty: boolean;
  /** Payload types that the device chose itself (WHEP) and receives packets with. @default those of the room */
  payloadTypes?: PayloadTypes | undefined;
  /** A viewer: it cannot publish, and the other peers get no events about it. @default false */
  isViewer?: boolean | undefined;
  /** Limit for everything it sends together, in bits per second. @default 8 Mbit/s in multiparty rooms */
  maxIncomingBitrate?: number | undefined;
}

export type ReturningPeer = Pick<NewPeer, 'peerId' | 'identity' | 'tag'>;

export interface NewIngest extends ReturningPeer {
  /** Its sources and their SSRCs. */
  tracks: { source: PlainSource; ssrc: number }[];
  size?: { width: number; height: number } | undefined;
  /** Encrypts packets that leave the host: newSrtpKey(). */
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
  /** Where the plain RTP peer listens: at 127.0.0.1, or at `ip` when packets come from another host. RTCP uses the next ports. */
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
  /** Whether `quality` reports when its packets begin and stop arriving. @default false */
  tellsArrival?: boolean | undefined;
  /** The size of the video; 1280x720 if unknown. */
  size?: { width: number; height: number } | undefined;
  /** The producer flows only while the same peer also sends this source, in either order, and ends with it. */
  along?: Source | undefined;
}

/** The size at which a consumer's video is shown, in physical pixels, or that it is hidden. */
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
  /** Consumers of their publications. */
  consumers: { from: PeerInfo; consumer: ConsumerInfo }[];
}

export interface ResumedPeer extends Surroundings {
  /** Its own publications: whether the peer or a host paused them, and the highest layer in use; null where demand is not measured. */
  sent: { source: Source; isHalted: boolean; layer: number | null }[];
}

export interface JoinedPeer extends Surroundings {
  /** Null for viewers. */
  sendTransport: WireTransport | null;
  recvTransport: WireTransport;
  /** The peer that had this identity until now. */
  replaced: PeerInfo | null;
}
