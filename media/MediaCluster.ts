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
 * What signalling sees of the media: rooms, peers in them, what they send. Everything that crosses this interface is plain
 * data, so that a room may live in this process or on another machine.
 *
 * A peer carries a tag, which is signalling's own and which media only hands back.
 */
export interface MediaCluster {
  /** What every room's router can do; a client loads its device with it once. */
  readonly rtpCapabilities: unknown;

  /** Makes the room, unless it is there. */
  openRoom(roomId: string): Promise<void>;
  /** Ends the room and everybody's media in it; nothing happens when it is gone. */
  closeRoom(roomId: string): Promise<void>;

  /** @throws ParleyError NOT_FOUND when there is no such room, VALIDATION_ERROR for capabilities that make no sense */
  join(roomId: string, peer: NewPeer): Promise<JoinedPeer>;
  /**
   * Changes a peer's tag in these members: its device is on another connection now. Its transports live on.
   * @throws ParleyError NOT_FOUND when it is gone, or its seat is another's
   */
  resume(roomId: string, peer: ReturningPeer): Promise<ResumedPeer>;
  /**
   * A peer whose camera (H264) and microphone (Opus) a program sends as plain RTP, each to an address of its own.
   * @throws ParleyError NOT_FOUND
   */
  openIngest(roomId: string, ingest: NewIngest): Promise<OpenIngest>;
  /**
   * Sends a seat's camera and microphone, or its screen, in their highest layer, to where a program listens for plain RTP. The consumers
   * are paused until they are resumed. What comes is what there is now: when it ends, or there is more, `egressChanged` says so.
   * @throws ParleyError NOT_FOUND
   */
  openEgress(roomId: string, egress: NewEgress): Promise<OpenEgress>;
  /** Asks for a key frame of what a tap sends, unless one was asked for just now. */
  requestKeyFrame(roomId: string, peerId: string): Promise<void>;
  /** What its publisher sends, as segments: see Packager. */
  packaged(roomId: string): Promise<Packaged>;
  packagedFile(roomId: string, packageId: string, name: string): Promise<Buffer | null>;
  /**
   * How many packets of what a peer sends have come in so far. What it is to be sending may be silent: a camera that is blocked, or hangs.
   * @throws ParleyError NOT_FOUND when it is gone
   */
  countPackets(roomId: string, peerId: string): Promise<PacketCount[]>;
  /** Nothing happens when the peer or the room is gone. */
  leave(roomId: string, peerId: string): Promise<void>;
  /** Whoever has this seat leaves. Nothing happens when nobody has, or the room is gone. */
  removeParticipant(roomId: string, identity: string): Promise<unknown>;
  /** Those who take part: the audience is left out. */
  peers(roomId: string): Promise<PeerInfo[]>;

  connectTransport(
    roomId: string,
    peerId: string,
    transportId: string,
    dtlsParameters: DtlsParameters,
  ): Promise<void>;
  restartIce(roomId: string, peerId: string, transportId: string): Promise<IceParameters>;

  /** Sends into the room; a second producer of the same source takes the first one's place. */
  produce(roomId: string, peerId: string, producer: NewProducer): Promise<{ producerId: string }>;
  closeProducer(roomId: string, peerId: string, source: Source): Promise<void>;
  /** @returns whether there is such a producer */
  setPaused(roomId: string, peerId: string, source: Source, paused: boolean): Promise<boolean>;
  /** Consumers start paused, so that no packet arrives before the client is ready for it. */
  resumeConsumers(roomId: string, peerId: string, consumerIds: string[]): Promise<void>;

  /** What the app shows of these consumers, and how large; the others stay as they are. Those that closed meanwhile are passed over. */
  setViews(roomId: string, peerId: string, views: View[]): Promise<void>;

  on<Name extends keyof MediaEvents>(event: Name, handler: (payload: MediaEvents[Name]) => void): void;
  close(): Promise<void>;
}

export interface MediaEvents {
  /** A consumer waits, paused, for the peer `to`. */
  consumer: { roomId: string; to: PeerInfo; from: PeerInfo; consumer: ConsumerInfo };
  /** What this tap sends has ended, or there is something it does not send: it is of no more use. */
  egressChanged: { roomId: string; to: PeerInfo };
  consumerClosed: { roomId: string; to: PeerInfo; consumerId: string };
  /** The peer began or stopped to send something. */
  peerUpdated: { roomId: string; peer: PeerInfo };
  /** The room's media was lost, all of it or a part: these peers have to join again. Everybody else's goes on. */
  roomRestarted: { roomId: string; lost: PeerInfo[] };
  /** These peers' place in the room is about to go, and they have to join the room anew, at its new place. Packets still flow here. */
  roomMoving: { roomId: string; peers: PeerInfo[] };
  /** The way to the room was broken for a moment, and what happened in it meanwhile was not heard: these peers are to look (`resume`). */
  eventsMissed: { roomId: string; peers: PeerInfo[] };
  /** In a crowd: who speaks, the loudest first. Level is 0 to 1. */
  speakers: { roomId: string; speakers: { peer: PeerInfo; level: number }[] };
  /** In a crowd: the highest layer of this picture that anybody looks at, -1 for nobody. The peer need not send those above it. */
  layersWanted: { roomId: string; to: PeerInfo; source: Source; layer: number };
  /** The peer has ended its connection, or nothing has come from it for half a minute. Its place is still its own. */
  disconnected: { roomId: string; peer: PeerInfo };
  /** In a crowd: how well this peer's media gets through, 0 to 10; null where there is none. */
  quality: {
    roomId: string;
    peer: PeerInfo;
    sending: number | null;
    receiving: number | null;
    /** Whether packets of anything that is to tell so (`tellsArrival`) have come in of late. */
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
  /** Two peers in one seat are one party on two devices: the later takes the place of the earlier. */
  identity: string;
  tag: PeerTag;
  rtpCapabilities: RtpCapabilities;
  /**
   * It joins many, not one: the room may then spread over workers and nodes, only the loudest of a large one are heard, publishers
   * send what is looked at, and nobody is asked for a key frame more than once a second.
   */
  multiparty: boolean;
  /** Where it has chosen them itself (WHEP): it takes packets under these. @default those of the room */
  payloadTypes?: PayloadTypes | undefined;
  /** It looks on and sends nothing: the others don't know of it, however many there are. @default false */
  isViewer?: boolean | undefined;
  /** What it may send, in bits a second, all together. @default in a crowd 8 Mbit/s */
  maxIncomingBitrate?: number | undefined;
}

export type ReturningPeer = Pick<NewPeer, 'peerId' | 'identity' | 'tag'>;

export interface NewIngest extends ReturningPeer {
  /** What it sends, and with which SSRC. */
  tracks: { source: PlainSource; ssrc: number }[];
  size?: { width: number; height: number } | undefined;
  /** What it encrypts with where packets leave the host: newSrtpKey(). */
  srtpKeyBase64: string;
}

export interface OpenIngest {
  /** Who had the seat until now. */
  replaced: PeerInfo | null;
  tracks: { source: PlainSource; ssrc: number; payloadType: number; to: PlainAddress }[];
}

export interface NewEgress {
  peerId: string;
  tag: PeerTag;
  /** Whose, by seat. */
  of: string;
  shows: EgressView;
  /** Where the program listens: at 127.0.0.1, or at `ip` where its packets come from another host; RTCP at the next ports. */
  ip: string;
  ports: { video: number; audio: number };
}

export interface OpenEgress {
  tracks: {
    source: Source;
    consumerId: string;
    rtpParameters: RtpParameters;
    /** Where its packets come from. */
    from: PlainAddress;
    /** Of the picture; 1280x720 where it isn't known. */
    size: { width: number; height: number };
  }[];
}

export interface NewProducer {
  source: Source;
  rtpParameters: RtpParameters;
  paused: boolean;
  /** Whether it is told (`quality`) when its packets begin to come in, and when they no longer do. @default false */
  tellsArrival?: boolean | undefined;
  /** The size of the picture; 1280x720 where it isn't known. */
  size?: { width: number; height: number } | undefined;
  /** It flows only while the same peer sends this, too, whichever comes first, and ends with it. */
  along?: Source | undefined;
}

/** How large a consumer's picture is shown, in real pixels; or that it isn't. */
export interface View {
  consumerId: string;
  isVisible: boolean;
  width: number;
  height: number;
}

export interface PeerInfo {
  peerId: string;
  tag: PeerTag;
  /** What it sends right now: paused producers are left out. */
  sending: Source[];
}

export type ConsumerInfo = Omit<WireConsumer, 'participant'>;

export interface Surroundings {
  /** The others in the room, without the audience. */
  peers: PeerInfo[];
  /** Consumers of what they send. */
  consumers: { from: PeerInfo; consumer: ConsumerInfo }[];
}

export interface ResumedPeer extends Surroundings {
  /** What it sends itself, whether it or a host has halted that, and the layer of its pictures that is looked at; null where nobody counts. */
  sent: { source: Source; isHalted: boolean; layer: number | null }[];
}

export interface JoinedPeer extends Surroundings {
  /** Null for an audience. */
  sendTransport: WireTransport | null;
  recvTransport: WireTransport;
  /** Who had the seat until now. */
  replaced: PeerInfo | null;
}
