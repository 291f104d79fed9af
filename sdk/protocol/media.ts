import { z } from 'zod';
import { displayName, isoDate, nothing, plainText, walletAddress } from './common.ts';

/*
 * Transports, producers and consumers. The parameters are mediasoup's; the bounds here keep nonsense small, mediasoup's own
 * validation keeps it out.
 */

export const scope = z.enum(['call', 'conference', 'stream']);
export const source = z.enum(['camera', 'microphone', 'screen', 'screen-audio']);
export type Scope = z.infer<typeof scope>;
export type Source = z.infer<typeof source>;

export const participant = z.object({
  id: z.string(),
  /** The room's id; in a call, the call's. */
  roomId: z.string(),
  walletAddress,
  displayName: displayName.nullable(),
  /** A viewer receives only. */
  role: z.enum(['host', 'participant', 'viewer']),
  /** Whether sound, picture and screen are being sent right now. */
  audio: z.boolean(),
  video: z.boolean(),
  screen: z.boolean(),
  /** Asks for the word. */
  handRaised: z.boolean(),
  joinedAt: isoDate,
  /** Its connection is lost, as of the answer to a join; after that, `…:participant:away` events tell it, and the SDK sets it. */
  isAway: z.boolean().optional(),
});
export type WireParticipant = z.infer<typeof participant>;

const short = plainText.max(256);
/** mediasoup's ids are UUIDs. */
export const mediaId = plainText.max(64);
const codecParameters = z.record(short, z.union([short, z.number(), z.null()]));
const rtcpFeedback = z.array(z.object({ type: short, parameter: short.optional() })).max(16);

export const rtpCapabilities = z.object({
  codecs: z
    .array(
      z.object({
        kind: z.enum(['audio', 'video']),
        mimeType: short,
        preferredPayloadType: z.int().min(0).max(127).optional(),
        clockRate: z.int().positive(),
        channels: z.int().positive().optional(),
        parameters: codecParameters.optional(),
        rtcpFeedback: rtcpFeedback.optional(),
      }),
    )
    .max(64),
  headerExtensions: z
    .array(
      z.object({
        kind: z.enum(['audio', 'video']),
        uri: short,
        preferredId: z.int().min(1).max(255),
        preferredEncrypt: z.boolean().optional(),
        direction: z.enum(['sendrecv', 'sendonly', 'recvonly', 'inactive']).optional(),
      }),
    )
    .max(64)
    .optional(),
});

export const rtpParameters = z.object({
  mid: short.optional(),
  msid: plainText.max(512).optional(),
  codecs: z
    .array(
      z.object({
        mimeType: short,
        payloadType: z.int().min(0).max(127),
        clockRate: z.int().positive(),
        channels: z.int().positive().optional(),
        parameters: codecParameters.optional(),
        rtcpFeedback: rtcpFeedback.optional(),
      }),
    )
    .max(16),
  headerExtensions: z
    .array(
      z.object({
        uri: short,
        id: z.int().min(1).max(255),
        encrypt: z.boolean().optional(),
        parameters: codecParameters.optional(),
      }),
    )
    .max(32)
    .optional(),
  encodings: z
    .array(
      z.object({
        ssrc: z.int().min(0).max(0xffffffff).optional(),
        rid: short.optional(),
        codecPayloadType: z.int().min(0).max(127).optional(),
        rtx: z.object({ ssrc: z.int().min(0).max(0xffffffff) }).optional(),
        dtx: z.boolean().optional(),
        scalabilityMode: short.optional(),
        scaleResolutionDownBy: z.number().positive().optional(),
        maxBitrate: z.int().positive().optional(),
        maxFramerate: z.number().positive().optional(),
        active: z.boolean().optional(),
        priority: short.optional(),
        networkPriority: short.optional(),
        adaptivePtime: z.boolean().optional(),
      }),
    )
    .max(8)
    .optional(),
  rtcp: z
    .object({ cname: short.optional(), reducedSize: z.boolean().optional(), mux: z.boolean().optional() })
    .optional(),
});

export const dtlsParameters = z.object({
  role: z.enum(['auto', 'client', 'server']).optional(),
  fingerprints: z
    .array(z.object({ algorithm: short, value: short }))
    .min(1)
    .max(8),
});

export const iceParameters = z.object({
  usernameFragment: short,
  password: short,
  iceLite: z.boolean().optional(),
});

/** What mediasoup-client needs to create its end of a transport. */
export const transport = z.object({
  id: mediaId,
  iceParameters,
  iceCandidates: z.array(
    z.object({
      foundation: z.string(),
      priority: z.number(),
      address: z.string(),
      ip: z.string(),
      protocol: z.enum(['udp', 'tcp']),
      port: z.number(),
      type: z.enum(['host', 'srflx', 'prflx', 'relay']),
      tcpType: z.literal('passive').optional(),
    }),
  ),
  dtlsParameters,
});

/** STUN and TURN servers, with credentials for a limited time. */
const iceServers = z.array(
  z.object({ urls: z.array(z.string()), username: z.string().optional(), credential: z.string().optional() }),
);

/** A stream of packets on its way to this peer. It starts paused: `media.resumeConsumers` says the client is ready for it. */
export const consumer = z.object({
  id: mediaId,
  producerId: mediaId,
  kind: z.enum(['audio', 'video']),
  rtpParameters,
  source,
  participant,
});

/** Pixels. */
const side = z.int().min(0).max(16_384);
export const pictureSize = z.object({ width: side.min(1), height: side.min(1) });

/** How large a consumer's picture is shown, in real pixels; or that it isn't. */
export const view = z.object({ consumerId: mediaId, isVisible: z.boolean(), width: side, height: side });
export type PictureSize = z.infer<typeof pictureSize>;
export type WireView = z.infer<typeof view>;

const room = { scope, id: plainText.max(64) };

/** The highest layer of a device's picture that anybody looks at, -1 for nobody: those above it need not be sent. */
const wantedLayer = z.object({ source, layer: z.int().min(-1).max(7) });

export const mediaRequests = {
  /** Takes this device into the room of a call: two transports, who is there, and what they send. */
  'media.join': {
    request: z.strictObject({ ...room, rtpCapabilities }),
    response: z.object({
      participant,
      /** This device's place, to be resumed with. */
      peerId: z.string(),
      participants: z.array(participant),
      /** Null for who looks on, and sends nothing. */
      sendTransport: transport.nullable(),
      recvTransport: transport,
      iceServers,
      consumers: z.array(consumer),
    }),
  },
  /** Takes up a place in a room again on another connection: the transports live on, and this tells what changed meanwhile. */
  'media.resume': {
    request: z.strictObject({
      ...room,
      participantId: plainText.max(64),
      /** All this device sends; what else the server has of it ends. */
      sending: z
        .array(z.strictObject({ source, paused: z.boolean() }))
        .max(source.options.length)
        .optional(),
    }),
    response: z.object({
      participants: z.array(participant),
      iceServers,
      consumers: z.array(consumer),
      /** How much of its pictures is looked at, as `media:layers` tells it. */
      layers: z.array(wantedLayer),
    }),
  },
  'media.connectTransport': {
    request: z.strictObject({ ...room, transportId: mediaId, dtlsParameters }),
    response: nothing,
  },
  'media.restartIce': {
    request: z.strictObject({ ...room, transportId: mediaId }),
    response: z.object({ iceParameters }),
  },
  'media.produce': {
    request: z.strictObject({
      ...room,
      source,
      rtpParameters,
      paused: z.boolean().default(false),
      /** Of the picture; 1280x720 where it isn't known. */
      size: pictureSize.optional(),
    }),
    response: z.object({ producerId: mediaId }),
  },
  'media.closeProducer': { request: z.strictObject({ ...room, source }), response: nothing },
  'media.resumeConsumers': {
    request: z.strictObject({ ...room, consumerIds: z.array(mediaId).min(1).max(200) }),
    response: nothing,
  },
  /** What the app shows, and how large: the server sends the layer that fits, and nothing of what is hidden. */
  'media.view': {
    request: z.strictObject({ ...room, views: z.array(view).min(1).max(200) }),
    response: nothing,
  },
  'media.leave': { request: z.strictObject(room), response: nothing },
} as const;

export const mediaEvents = {
  /** Somebody in the room began to send; the consumer waits, paused. */
  'media:consumer': z.object({ ...room, consumer }),
  'media:consumer:closed': z.object({ ...room, consumerId: mediaId }),
  /** The room's media was rebuilt elsewhere (a worker died): join again, publish again. */
  'media:restarted': z.object(room),
  /** The room moves to another node while packets still flow where it was: join it there, then leave here. */
  'media:goaway': z.object(room),
  /** What is looked at of this device's picture. */
  'media:layers': z.object({ ...room, ...wantedLayer.shape }),
  /** Another device of the same wallet took the media over. */
  'media:replaced': z.object(room),
} as const;

export type WireConsumer = z.infer<typeof consumer>;
export type WireTransport = z.infer<typeof transport>;
export type RtpCapabilities = z.infer<typeof rtpCapabilities>;
export type RtpParameters = z.infer<typeof rtpParameters>;
export type DtlsParameters = z.infer<typeof dtlsParameters>;
export type IceServers = z.infer<typeof iceServers>;
export type IceParameters = z.infer<typeof iceParameters>;
