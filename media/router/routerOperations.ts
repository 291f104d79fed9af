import { z } from 'zod';
import {
  dtlsParameters,
  iceParameters,
  mediaId,
  rtpCapabilities,
  rtpParameters,
  transport,
} from '../../sdk/protocol/media.ts';
import { nothing, type Operations } from '../operations.ts';
import { plainAddress, rtpPort, srtpKey } from '../plainRtp.ts';

/* What a room asks of its routers, which may be on other nodes, and the events of a router. */

export const id = z.string().min(1).max(64);
const kind = z.enum(['audio', 'video']);
/** The peer's key on its router. */
const peer = { key: id };
const pipe = { pipeId: id };
/** The minimum time between two key frame requests, in milliseconds. */
const keyFrameIntervalMs = z.int().min(0).max(60_000);

const newPeer = z.strictObject({
  ...peer,
  rtpCapabilities,
  /**
   * Whether the room is multiparty. If so, the bitrate that the device sends is limited, and the videos that it receives are guarded
   * against congestion.
   */
  multiparty: z.boolean(),
  /** In bits per second. @default 8 Mbit/s in multiparty rooms */
  maxIncomingBitrate: z.int().positive().optional(),
  /** A viewer: it cannot publish. */
  isViewer: z.boolean().optional(),
  /** As in roomOperations.ts. @default true */
  consents: z.boolean().optional(),
});
export type RouterPeerOptions = Omit<z.output<typeof newPeer>, 'key'>;

const peerTransports = z.object({
  /** Null for viewers. */
  sendTransport: transport.nullable(),
  recvTransport: transport,
});
export type PeerTransports = z.output<typeof peerTransports>;

const newPlainPeer = z.strictObject({
  ...peer,
  /** Whether packets leave the host. */
  secure: z.boolean(),
  /** Encrypts packets that leave the host. */
  srtpKeyBase64: srtpKey,
  /** Where it listens, with RTCP at the next port; null for a peer that sends. */
  receivesAt: z
    .object({ ip: z.string().max(64), ports: z.object({ audio: rtpPort, video: rtpPort }) })
    .nullable(),
});
export type PlainPeerOptions = Omit<z.output<typeof newPlainPeer>, 'key'>;

/** The addresses it sends to, or the addresses it receives from. */
const plainEnds = z.object({ audio: plainAddress, video: plainAddress });
export type PlainEnds = z.output<typeof plainEnds>;

const newProducer = z.strictObject({
  ...peer,
  kind,
  rtpParameters,
  paused: z.boolean(),
  keyFrameIntervalMs,
  /** Whether its loudness is measured. */
  isSpeech: z.boolean(),
  /** Sent by nodes of the previous release. */
  tellsArrival: z.boolean().optional(),
});
export type RouterProducer = Omit<z.output<typeof newProducer>, 'key'>;

const routerConsumer = z.object({ id: mediaId, producerId: mediaId, kind, rtpParameters });
export type RouterConsumer = z.output<typeof routerConsumer>;

const consumerSetting = z.object({
  consumerId: mediaId,
  paused: z.boolean(),
  /** The highest simulcast layer to send; null for no limit. */
  layer: z.int().min(0).max(7).nullable(),
});
export type ConsumerSetting = z.output<typeof consumerSetting>;

const pipeAddress = z.object({
  ip: z.string().max(64),
  port: z.int().min(1).max(65_535),
  srtpParameters: z.object({ cryptoSuite: z.string().max(64), keyBase64: z.string().max(256) }).optional(),
});
export type PipeAddress = z.output<typeof pipeAddress>;

const pipedProducer = z.object({
  producerId: mediaId,
  kind,
  rtpParameters,
  paused: z.boolean(),
  keyFrameIntervalMs,
});
export type PipedProducer = z.output<typeof pipedProducer>;

export const routerOperations = {
  /** @throws ParleyError VALIDATION_ERROR for invalid capabilities */
  addPeer: { request: newPeer, response: peerTransports },
  addPlainPeer: { request: newPlainPeer, response: plainEnds },
  removePeer: { request: z.strictObject(peer), response: nothing },
  connectTransport: {
    request: z.strictObject({ ...peer, transportId: mediaId, dtlsParameters }),
    response: nothing,
  },
  restartIce: { request: z.strictObject({ ...peer, transportId: mediaId }), response: iceParameters },

  /** The same request again, while its producer is open, returns the same producer. */
  produce: { request: newProducer, response: z.object({ producerId: mediaId }) },
  setProducerPaused: {
    request: z.strictObject({ producerId: mediaId, paused: z.boolean() }),
    response: nothing,
  },
  /** Packets received so far from producers of peers on this router. Closed producers are left out. */
  countPackets: {
    request: z.strictObject({ producerIds: z.array(mediaId).max(100) }),
    response: z.object({ counts: z.array(z.object({ producerId: mediaId, packets: z.int() })) }),
  },
  /** Closes a producer of a peer on this router, or one that came over a pipe, with its consumers on this router. */
  closeProducer: { request: z.strictObject({ producerId: mediaId }), response: nothing },

  /** Creates a paused consumer; null when the device can't decode the producer, or either is gone. */
  consume: {
    request: z.strictObject({ ...peer, producerId: mediaId }),
    response: z.object({ consumer: routerConsumer.nullable() }),
  },
  /** Closed consumers are ignored. */
  setConsumers: {
    request: z.strictObject({ settings: z.array(consumerSetting).max(10_000) }),
    response: nothing,
  },
  /** Closed consumers are ignored. */
  closeConsumers: {
    request: z.strictObject({ consumerIds: z.array(mediaId).max(10_000) }),
    response: nothing,
  },
  /** Does nothing when the consumer is closed. */
  requestKeyFrame: { request: z.strictObject({ consumerId: mediaId }), response: nothing },

  /** Opens this end of a pipe to another router. `secure`: whether packets leave the host. */
  openPipe: { request: z.strictObject({ ...pipe, secure: z.boolean() }), response: pipeAddress },
  connectPipe: { request: z.strictObject({ ...pipe, far: pipeAddress }), response: nothing },
  closePipe: { request: z.strictObject(pipe), response: nothing },
  /** Sends a producer over a pipe. If it is already sent over that pipe, returns the same answer. */
  sendOverPipe: { request: z.strictObject({ ...pipe, producerId: mediaId }), response: pipedProducer },
  /** Creates a producer from a pipe. Does nothing if it already exists. */
  takeFromPipe: { request: z.strictObject({ ...pipe, producer: pipedProducer }), response: nothing },
} as const;

export type RouterOperations = Operations<typeof routerOperations>;

/** Packet quality, 0 to 10. */
const score = z.object({ id: mediaId, score: z.number() });
export type Score = z.output<typeof score>;

const consumerScore = score.extend({
  /** The simulcast layer being sent; null when none is sent or there are no layers. */
  layer: z.int().nullable(),
});
export type ConsumerScore = z.output<typeof consumerScore>;

/** The loudness of a producer in dBov, -127 to 0. */
const volume = z.object({ producerId: mediaId, volume: z.number() });
export type Volume = z.output<typeof volume>;

export const routerEvent = z.discriminatedUnion('name', [
  z.object({ name: z.literal('died') }),
  z.object({ name: z.literal('disconnected'), ...peer }),
  z.object({ name: z.literal('volumes'), volumes: z.array(volume) }),
  z.object({
    name: z.literal('scores'),
    producers: z.array(score),
    consumers: z.array(consumerScore),
  }),
]);
export type RouterEvent = z.output<typeof routerEvent>;
export type EmitRouterEvent = (event: RouterEvent) => void;
