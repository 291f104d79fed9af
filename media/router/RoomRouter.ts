import type {
  DtlsParameters,
  IceParameters,
  RtpCapabilities,
  RtpParameters,
  WireTransport,
} from '../../sdk/protocol/media.ts';
import type { PlainAddress } from '../plainRtp.ts';

/**
 * A router of a room, on one worker of this process or of another node, with its transports, producers and consumers. It makes no
 * decisions; the room (MediaRoom) makes them. Parameters, results and events are plain data.
 *
 * Closing: close() ends everything in it and emits nothing. A router that ends for another reason emits `died`, once.
 */
export interface RoomRouter {
  readonly id: string;
  /** The node it is on; null for this process. */
  readonly nodeId: string | null;
  /**
   * The number of workers that its node had when this router was opened. Each of them may have a router of the room. Always 1 for this
   * process, whose workers the room knows individually.
   */
  readonly workersOfNode: number;
  readonly isClosed: boolean;
  readonly load: RouterLoad;

  /** @throws ParleyError VALIDATION_ERROR for invalid capabilities */
  addPeer(key: string, peer: RouterPeerOptions): Promise<PeerTransports>;
  /** Adds a plain RTP peer. @returns the addresses it sends to, or the addresses it receives from */
  addPlainPeer(key: string, options: PlainPeerOptions): Promise<PlainEnds>;
  removePeer(key: string): Promise<void>;
  connectTransport(key: string, transportId: string, dtlsParameters: DtlsParameters): Promise<void>;
  restartIce(key: string, transportId: string): Promise<IceParameters>;

  produce(key: string, producer: RouterProducer): Promise<{ producerId: string }>;
  setProducerPaused(producerId: string, paused: boolean): Promise<void>;
  /** Packets received so far from producers of peers on this router. Closed producers are left out. */
  countPackets(producerIds: string[]): Promise<ProducerCount[]>;
  /** Closes a producer of a peer on this router, or one that came over a pipe, with its consumers on this router. */
  closeProducer(producerId: string): Promise<void>;

  /** Creates a paused consumer; null when the device can't decode the producer, or either is gone. */
  consume(key: string, producerId: string): Promise<RouterConsumer | null>;
  /** Closed consumers are ignored. */
  setConsumers(settings: ConsumerSetting[]): Promise<void>;
  /** Closed consumers are ignored. */
  closeConsumers(consumerIds: string[]): Promise<void>;
  /** Does nothing when the consumer is closed. */
  requestKeyFrame(consumerId: string): Promise<void>;

  /** Opens this end of a pipe to another router. @param secure whether packets leave the host */
  openPipe(pipeId: string, secure: boolean): Promise<PipeAddress>;
  connectPipe(pipeId: string, far: PipeAddress): Promise<void>;
  closePipe(pipeId: string): Promise<void>;
  /** Sends a producer over a pipe. If it is already sent over that pipe, returns the same answer. */
  sendOverPipe(pipeId: string, producerId: string): Promise<PipedProducer>;
  /** Creates a producer from a pipe. Does nothing if it already exists. */
  takeFromPipe(pipeId: string, producer: PipedProducer): Promise<void>;

  close(): void;
}

export interface RouterLoad {
  /** Consumers on its worker, in all rooms that this node knows. */
  consumers: number;
  /** 0 is idle, 1 is full. */
  busy: number;
}

export interface RouterPeerOptions {
  rtpCapabilities: RtpCapabilities;
  /**
   * Whether the room is multiparty. If so, the bitrate that the device sends is limited, and the videos that it receives are guarded
   * against congestion.
   */
  multiparty: boolean;
  /** In bits per second. @default 8 Mbit/s in multiparty rooms */
  maxIncomingBitrate?: number | undefined;
  /** A viewer: it cannot publish. */
  isViewer?: boolean | undefined;
}

export interface PlainPeerOptions {
  /** Whether packets leave the host. */
  secure: boolean;
  /** Encrypts packets that leave the host. */
  srtpKeyBase64: string;
  /** Where it listens, with RTCP at the next port; null for a peer that sends. */
  receivesAt: { ip: string; ports: { audio: number; video: number } } | null;
}

export interface PlainEnds {
  audio: PlainAddress;
  video: PlainAddress;
}

export interface PeerTransports {
  /** Null for viewers. */
  sendTransport: WireTransport | null;
  recvTransport: WireTransport;
}

export interface RouterProducer {
  kind: 'audio' | 'video';
  rtpParameters: RtpParameters;
  paused: boolean;
  /** The minimum time between two key frame requests. */
  keyFrameIntervalMs: number;
  /** Whether its loudness is measured. */
  isSpeech: boolean;
  /** Whether the arrival of its packets is reported. */
  tellsArrival?: boolean | undefined;
}

export interface ProducerCount {
  producerId: string;
  packets: number;
}

export interface RouterConsumer {
  id: string;
  producerId: string;
  kind: 'audio' | 'video';
  rtpParameters: RtpParameters;
}

export interface ConsumerSetting {
  consumerId: string;
  paused: boolean;
  /** The highest simulcast layer to send; null for no limit. */
  layer: number | null;
}

export interface PipeAddress {
  ip: string;
  port: number;
  srtpParameters?: { cryptoSuite: string; keyBase64: string } | undefined;
}

export interface PipedProducer {
  producerId: string;
  kind: 'audio' | 'video';
  rtpParameters: RtpParameters;
  paused: boolean;
  keyFrameIntervalMs: number;
}

/** The events of a router. */
export type RouterEvent =
  | { name: 'died' }
  | { name: 'disconnected'; key: string }
  | { name: 'volumes'; volumes: Volume[] }
  | { name: 'scores'; producers: ProducerScore[]; consumers: ConsumerScore[] };

export type EmitRouterEvent = (event: RouterEvent) => void;

export interface Volume {
  producerId: string;
  /** dBov, -127 to 0. */
  volume: number;
}

/** Packet quality, 0 to 10. */
export interface Score {
  id: string;
  score: number;
}

export interface ProducerScore extends Score {
  /** Whether packets arrived recently; only for producers with `tellsArrival`. */
  isArriving?: boolean | undefined;
}

export interface ConsumerScore extends Score {
  /** The simulcast layer being sent; null when none is sent or there are no layers. */
  layer: number | null;
}
