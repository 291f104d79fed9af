import type {
  DtlsParameters,
  IceParameters,
  RtpCapabilities,
  RtpParameters,
  Source,
  WireConsumer,
  WireTransport,
} from '../sdk/protocol/media.ts';

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
  resume(roomId: string, peer: Omit<NewPeer, 'rtpCapabilities'>): Promise<ResumedPeer>;
  /** Nothing happens when the peer or the room is gone. */
  leave(roomId: string, peerId: string): Promise<void>;
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

  on<Name extends keyof MediaEvents>(event: Name, handler: (payload: MediaEvents[Name]) => void): void;
  close(): Promise<void>;
}

export interface MediaEvents {
  /** A consumer waits, paused, for the peer `to`. */
  consumer: { roomId: string; to: PeerInfo; from: PeerInfo; consumer: ConsumerInfo };
  consumerClosed: { roomId: string; to: PeerInfo; consumerId: string };
  /** The peer began or stopped to send something. */
  peerUpdated: { roomId: string; peer: PeerInfo };
  /** The room's media was lost and the room built anew, empty: these peers have to join again. */
  roomRestarted: { roomId: string; lost: PeerInfo[] };
  /** The room is to be left: it was built anew elsewhere, empty, and these peers have to join it there. Packets still flow here. */
  roomMoving: { roomId: string; peers: PeerInfo[] };
}

export type PeerTag = Readonly<Record<string, unknown>>;

export interface NewPeer {
  peerId: string;
  /** Two peers in one seat are one party on two devices: the later takes the place of the earlier. */
  seat: string;
  tag: PeerTag;
  rtpCapabilities: RtpCapabilities;
}

export interface NewProducer {
  source: Source;
  rtpParameters: RtpParameters;
  paused: boolean;
}

export interface PeerInfo {
  peerId: string;
  tag: PeerTag;
  /** What it sends right now: paused producers are left out. */
  sending: Source[];
}

export type ConsumerInfo = Omit<WireConsumer, 'participant'>;

export interface ResumedPeer {
  /** The others in the room. */
  peers: PeerInfo[];
  /** Consumers of what they send. */
  consumers: { from: PeerInfo; consumer: ConsumerInfo }[];
}

export interface JoinedPeer extends ResumedPeer {
  sendTransport: WireTransport;
  recvTransport: WireTransport;
  /** Who had the seat until now. */
  replaced: PeerInfo | null;
}
