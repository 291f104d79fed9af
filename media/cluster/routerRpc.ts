import { z } from 'zod';
import {
  dtlsParameters,
  iceParameters,
  mediaId,
  rtpCapabilities,
  rtpParameters,
  transport,
} from '../../sdk/protocol/media.ts';

/*
 * Requests from the node that owns a room to another node that has a router of the room (RoomRouter), and the events of that router. A
 * router belongs to the node id that opened it; requests from other node ids are refused.
 */

const id = z.string().min(1).max(64);
const router = { routerId: id };
const peerOf = { ...router, key: id };
const pipeOf = { ...router, pipeId: id };
const nothing = z.object({});
const kind = z.enum(['audio', 'video']);
/** See router/payloadTypes.ts. */
export const payloadTypes = z.record(z.string().max(64), z.int().min(0).max(127));
const intervalMs = z.int().min(0).max(60_000);

/** RTCP uses the next port. */
export const rtpPort = z.int().min(1).max(65_534);
export const srtpKey = z.string().max(256);
export const plainAddress = z.object({
  ip: z.string().max(64),
  port: z.int().min(1).max(65_535),
  srtpKeyBase64: srtpKey.nullable(),
});

const pipeAddress = z.object({
  ip: z.string().max(64),
  port: z.int().min(1).max(65_535),
  srtpParameters: z.object({ cryptoSuite: z.string().max(64), keyBase64: z.string().max(256) }).optional(),
});
const pipedProducer = z.object({
  producerId: mediaId,
  kind,
  rtpParameters,
  paused: z.boolean(),
  keyFrameIntervalMs: intervalMs,
});

export const routerRpc = {
  'part.open': {
    request: z.strictObject({ ...router, roomId: id, payloadTypes: payloadTypes.optional() }),
    /** Older nodes do not send the number of workers. */
    response: z.object({ workers: z.int().positive().default(1) }),
  },
  'part.close': { request: z.strictObject(router), response: nothing },
  /**
   * Lists the routers in use. Other routers of the same owner are closed. The answer names those routers in the list that no longer exist.
   */
  'part.keep': {
    request: z.strictObject({ routerIds: z.array(id).max(10_000) }),
    response: z.object({ missing: z.array(id) }),
  },
  'part.addPeer': {
    request: z.strictObject({
      ...peerOf,
      rtpCapabilities,
      multiparty: z.boolean(),
      maxIncomingBitrate: z.int().positive().optional(),
      isViewer: z.boolean().optional(),
    }),
    response: z.object({ sendTransport: transport.nullable(), recvTransport: transport }),
  },
  'part.addPlainPeer': {
    request: z.strictObject({
      ...peerOf,
      secure: z.boolean(),
      srtpKeyBase64: srtpKey,
      receivesAt: z
        .object({ ip: z.string().max(64), ports: z.object({ audio: rtpPort, video: rtpPort }) })
        .nullable(),
    }),
    response: z.object({ audio: plainAddress, video: plainAddress }),
  },
  'part.removePeer': { request: z.strictObject(peerOf), response: nothing },
  'part.connectTransport': {
    request: z.strictObject({ ...peerOf, transportId: mediaId, dtlsParameters }),
    response: nothing,
  },
  'part.restartIce': {
    request: z.strictObject({ ...peerOf, transportId: mediaId }),
    response: iceParameters,
  },
  'part.produce': {
    request: z.strictObject({
      ...peerOf,
      kind,
      rtpParameters,
      paused: z.boolean(),
      keyFrameIntervalMs: intervalMs,
      isSpeech: z.boolean(),
      tellsArrival: z.boolean().optional(),
    }),
    response: z.object({ producerId: mediaId }),
  },
  'part.setProducerPaused': {
    request: z.strictObject({ ...router, producerId: mediaId, paused: z.boolean() }),
    response: nothing,
  },
  'part.countPackets': {
    request: z.strictObject({ ...router, producerIds: z.array(mediaId).max(100) }),
    response: z.object({ counts: z.array(z.object({ producerId: mediaId, packets: z.int() })) }),
  },
  'part.closeProducer': { request: z.strictObject({ ...router, producerId: mediaId }), response: nothing },
  'part.consume': {
    request: z.strictObject({ ...peerOf, producerId: mediaId }),
    response: z.object({
      consumer: z.object({ id: mediaId, producerId: mediaId, kind, rtpParameters }).nullable(),
    }),
  },
  'part.setConsumers': {
    request: z.strictObject({
      ...router,
      settings: z
        .array(
          z.object({
            consumerId: mediaId,
            paused: z.boolean(),
            layer: z.int().min(0).max(7).nullable(),
          }),
        )
        .max(10_000),
    }),
    response: nothing,
  },
  'part.closeConsumers': {
    request: z.strictObject({ ...router, consumerIds: z.array(mediaId).max(10_000) }),
    response: nothing,
  },
  'part.requestKeyFrame': { request: z.strictObject({ ...router, consumerId: mediaId }), response: nothing },
  'part.openPipe': { request: z.strictObject({ ...pipeOf, secure: z.boolean() }), response: pipeAddress },
  'part.connectPipe': { request: z.strictObject({ ...pipeOf, far: pipeAddress }), response: nothing },
  'part.closePipe': { request: z.strictObject(pipeOf), response: nothing },
  'part.sendOverPipe': {
    request: z.strictObject({ ...pipeOf, producerId: mediaId }),
    response: pipedProducer,
  },
  'part.takeFromPipe': {
    request: z.strictObject({ ...pipeOf, producer: pipedProducer }),
    response: nothing,
  },
} as const;

const score = { id: mediaId, score: z.number() };

export const routerEvent = {
  router: z.object({
    routerId: id,
    event: z.discriminatedUnion('name', [
      z.object({ name: z.literal('died') }),
      z.object({ name: z.literal('disconnected'), key: id }),
      z.object({
        name: z.literal('volumes'),
        volumes: z.array(z.object({ producerId: mediaId, volume: z.number() })),
      }),
      z.object({
        name: z.literal('scores'),
        producers: z.array(z.object({ ...score, isArriving: z.boolean().optional() })),
        consumers: z.array(z.object({ ...score, layer: z.int().nullable() })),
      }),
    ]),
  }),
} as const;
