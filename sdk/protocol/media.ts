import { z } from 'zod';
import { displayName, isoDate, nothing, plainText } from './common.ts';
import { isGuest, partyId } from './guests.ts';

/*
 * Transports, producers and consumers. The parameters are mediasoup's. The schemas here only limit their size; mediasoup validates
 * the content.
 */

export const scope = z.enum(['call', 'conference', 'stream']);
export const source = z.enum(['camera', 'microphone', 'screen', 'screen-audio']);
/** What media belongs to. */
export type Scope = z.infer<typeof scope>;
/** What a track shows or plays. */
export type Source = z.infer<typeof source>;

export const participant = z.object({
  id: z.string(),
  /** The id of the room; in a call, the id of the call. */
  roomId: z.string(),
  /** The wallet, or `guest:…` for a guest. */
  walletAddress: partyId,
  isGuest,
  displayName: displayName.nullable(),
  /** A viewer only receives media. */
  role: z.enum(['host', 'participant', 'viewer']),
  /** Which media the participant sends right now. */
  audio: z.boolean(),
  video: z.boolean(),
  screen: z.boolean(),
  /** Whether the participant is asking to speak. */
  handRaised: z.boolean(),
  joinedAt: isoDate,
  /**
   * Whether the participant's connection was lost when the server answered the join. Later changes arrive as `…:participant:away`
   * events, from which the SDK sets this field.
   */
  isAway: z.boolean().optional(),
});
export type WireParticipant = z.infer<typeof participant>;

/** Text in the session descriptions of others: browsers, players and ffmpeg. A line break in it would add lines there. */
const oneLine = plainText.regex(/^\P{Cc}*$/u, { error: 'must not contain control characters' });
const short = oneLine.max(256);
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
  msid: oneLine.max(512).optional(),
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

/** The server's parameters from which mediasoup-client creates its end of a transport. */
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
export const iceServers = z.array(
  z.object({ urls: z.array(z.string()), username: z.string().optional(), credential: z.string().optional() }),
);

/** One source that this peer receives. It is paused until the client is ready and sends `media.resumeConsumers`. */
export const consumer = z.object({
  id: mediaId,
  producerId: mediaId,
  kind: z.enum(['audio', 'video']),
  rtpParameters,
  source,
  participant,
});

/** A width or height in pixels. */
const side = z.int().min(0).max(16_384);
export const videoSize = z.object({ width: side.min(1), height: side.min(1) });

/** How the app displays a consumer's video: whether it is visible, and its size in device pixels. */
export const view = z.object({ consumerId: mediaId, isVisible: z.boolean(), width: side, height: side });
export type VideoSize = z.infer<typeof videoSize>;
export type WireView = z.infer<typeof view>;

const room = { scope, id: plainText.max(64) };

/** The highest layer of a device's video that any subscriber needs; -1 if none does. The layers above it need not be sent. */
const layerDemand = z.object({ source, layer: z.int().min(-1).max(7) });

const joinedMedia = z.object({
  participant,
  /** The id of this device's peer. */
  peerId: z.string(),
  participants: z.array(participant),
  /** The transport for publishing; null for a viewer, who cannot publish. */
  sendTransport: transport.nullable(),
  recvTransport: transport,
  iceServers,
  consumers: z.array(consumer),
});
export type JoinedMedia = z.output<typeof joinedMedia>;

/** In a request that enters a call, room or stream: also joins its media, as `media.join` does. */
export const wantedMedia = { media: z.strictObject({ rtpCapabilities }).optional() };
export type WantedMedia = z.output<typeof wantedMedia.media>;
/** In the answer: what `media.join` answers. Absent if the media could not be joined: send `media.join`, which reports the error. */
export const answeredMedia = { media: joinedMedia.optional() };

export const mediaRequests = {
  /** Joins the media of a call, room or stream: creates transports, and returns the participants and what they send. */
  'media.join': { request: z.strictObject({ ...room, rtpCapabilities }), response: joinedMedia },
  /** Resumes the media of a room on a new connection. The transports are kept. The response contains what changed in the meantime. */
  'media.resume': {
    request: z.strictObject({
      ...room,
      participantId: plainText.max(64),
      /** All sources this device sends. The server closes the device's other producers. */
      sending: z
        .array(z.strictObject({ source, paused: z.boolean() }))
        .max(source.options.length)
        .optional(),
    }),
    response: z.object({
      participants: z.array(participant),
      iceServers,
      consumers: z.array(consumer),
      /** The layer demand of this device's videos, as in `media:layers`. */
      layers: z.array(layerDemand),
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
      /** With one codec, of the kind of the source, and at most its retransmissions besides. */
      rtpParameters,
      paused: z.boolean().default(false),
      /** The size of the video. Default: 1280x720. */
      size: videoSize.optional(),
    }),
    response: z.object({ producerId: mediaId }),
  },
  'media.closeProducer': { request: z.strictObject({ ...room, source }), response: nothing },
  'media.resumeConsumers': {
    request: z.strictObject({ ...room, consumerIds: z.array(mediaId).min(1).max(200) }),
    response: nothing,
  },
  /** Reports which videos the app displays, and at what size. The server sends the matching layer, and pauses hidden videos. */
  'media.view': {
    request: z.strictObject({ ...room, views: z.array(view).min(1).max(200) }),
    response: nothing,
  },
  'media.leave': { request: z.strictObject(room), response: nothing },
} as const;

export const mediaEvents = {
  /** A participant began to send a source. This device receives it through the consumer, which is paused at first. */
  'media:consumer': z.object({ ...room, consumer }),
  'media:consumer:closed': z.object({ ...room, consumerId: mediaId }),
  /**
   * The room's media was created again on another worker or node, because a worker or node died. Join and publish again. Without a cause, it
   * was for another reason, such as a changed role.
   */
  'media:restarted': z.object({ ...room, cause: z.enum(['worker', 'node']).optional() }),
  /** The room is moving to another node while its media continues on this one. Join on the new node, then leave on this one. */
  'media:goaway': z.object(room),
  /** The layer demand of this device's video. */
  'media:layers': z.object({ ...room, ...layerDemand.shape }),
  /** Another device of the same wallet took over the media. */
  'media:replaced': z.object(room),
} as const;

export type WireConsumer = z.infer<typeof consumer>;
export type WireTransport = z.infer<typeof transport>;
export type RtpCapabilities = z.infer<typeof rtpCapabilities>;
export type RtpParameters = z.infer<typeof rtpParameters>;
export type DtlsParameters = z.infer<typeof dtlsParameters>;
export type IceServers = z.infer<typeof iceServers>;
export type IceParameters = z.infer<typeof iceParameters>;
