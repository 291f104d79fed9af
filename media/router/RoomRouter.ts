import type {
  DtlsParameters,
  IceParameters,
  RtpCapabilities,
  RtpParameters,
  WireTransport,
} from '../../sdk/protocol/media.ts';
import type { PlainAddress } from '../plainRtp.ts';

/**
 * The part of a room that lies on one worker, of this process or of another node: transports, producers and consumers, and no
 * opinion of its own. The room (MediaRoom) says what is to be, and all that crosses this interface is plain data.
 *
 * Closing: close() ends everything in it, and nobody is told; a part that ends otherwise tells `died`, once.
 */
export interface RoomRouter {
  readonly id: string;
  /** The node it lies on; null for this process. */
  readonly nodeId: string | null;
  /** How many workers its node had when it was opened: each may take a router of the same room. 1 for this process, whose workers are known one by one. */
  readonly workersOfNode: number;
  readonly isClosed: boolean;
  readonly load: RouterLoad;

  /** @throws ParleyError VALIDATION_ERROR for capabilities that make no sense */
  addPeer(key: string, peer: RouterPeerOptions): Promise<PeerTransports>;
  /** A program that speaks plain RTP. @returns where it sends to, or where what it receives comes from */
  addPlainPeer(key: string, options: PlainPeerOptions): Promise<PlainEnds>;
  removePeer(key: string): Promise<void>;
  connectTransport(key: string, transportId: string, dtlsParameters: DtlsParameters): Promise<void>;
  restartIce(key: string, transportId: string): Promise<IceParameters>;

  produce(key: string, producer: RouterProducer): Promise<{ producerId: string }>;
  setProducerPaused(producerId: string, paused: boolean): Promise<void>;
  /** What has come in of producers of peers here. What is not there any more is left out. */
  countPackets(producerIds: string[]): Promise<ProducerCount[]>;
  /** A producer of a peer here, or one that was piped here; with its consumers here. */
  closeProducer(producerId: string): Promise<void>;

  /** Makes a paused consumer; null when the device can't decode what is sent, or either is gone. */
  consume(key: string, producerId: string): Promise<RouterConsumer | null>;
  /** What is not there any more is passed over. */
  setConsumers(settings: ConsumerSetting[]): Promise<void>;
  /** Those that are there still. */
  closeConsumers(consumerIds: string[]): Promise<void>;
  /** Nothing happens when it is not there any more. */
  requestKeyFrame(consumerId: string): Promise<void>;

  /** This end of a pipe to another part. `secure` where packets leave the host. */
  openPipe(pipeId: string, secure: boolean): Promise<PipeAddress>;
  connectPipe(pipeId: string, far: PipeAddress): Promise<void>;
  closePipe(pipeId: string): Promise<void>;
  /** Sends a producer over a pipe; the same again when it is sent already. */
  sendOverPipe(pipeId: string, producerId: string): Promise<PipedProducer>;
  /** Makes a producer of what comes over a pipe; nothing when it is here already. */
  takeFromPipe(pipeId: string, producer: PipedProducer): Promise<void>;

  close(): void;
}

export interface RouterLoad {
  /** Consumers on its worker, whoever's room they belong to, as far as this node knows. */
  consumers: number;
  /** 0 is idle, 1 is full. */
  busy: number;
}

export interface RouterPeerOptions {
  rtpCapabilities: RtpCapabilities;
  /** What it sends is bounded, since there are many. */
  multiparty: boolean;
  /** In bits a second. @default 8 Mbit/s in a crowd */
  maxIncomingBitrate?: number | undefined;
  /** It looks on, and sends nothing. */
  isViewer?: boolean | undefined;
}

export interface PlainPeerOptions {
  /** Packets leave the host. */
  secure: boolean;
  /** What the program encrypts with, where they do. */
  srtpKeyBase64: string;
  /** Where it listens, with RTCP at the next port; null for one that sends. */
  receivesAt: { ip: string; ports: { audio: number; video: number } } | null;
}

export interface PlainEnds {
  audio: PlainAddress;
  video: PlainAddress;
}

export interface PeerTransports {
  /** Null for an audience. */
  sendTransport: WireTransport | null;
  recvTransport: WireTransport;
}

export interface RouterProducer {
  kind: 'audio' | 'video';
  rtpParameters: RtpParameters;
  paused: boolean;
  /** Asked for a key frame at most this often. */
  keyFrameIntervalMs: number;
  /** Its loudness is told. */
  isSpeech: boolean;
  /** Whether packets of it come in is told. */
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
  /** The highest simulcast layer that is wanted; null for the highest there is. */
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

/** What a part tells its room. */
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

/** How well packets come through, 0 to 10. */
export interface Score {
  id: string;
  score: number;
}

export interface ProducerScore extends Score {
  /** Of one that tells it: packets have come in of late. */
  isArriving?: boolean | undefined;
}

export interface ConsumerScore extends Score {
  /** The simulcast layer that is being sent; null while none is, or where there are none. */
  layer: number | null;
}
