import { z } from 'zod';
import { displayName, id, isoDate, nothing, plainText, walletAddress } from './common.ts';
import { gateConfig, gateType } from './gates.ts';

export const streamStatus = z.enum(['idle', 'live', 'ended']);
export type StreamStatus = z.infer<typeof streamStatus>;

/** What a publisher sends at 30 frames a second: 2.5, 4.5 and 13 Mbit/s. */
export const streamQuality = z.enum(['720p', '1080p', '4k']);
export type StreamQuality = z.infer<typeof streamQuality>;

/** The way somebody publishes … */
export const publishedBy = z.enum(['sdk', 'whip', 'rtmp']);
export type PublishedBy = z.infer<typeof publishedBy>;
/** … and the way somebody watches. */
export const watchedBy = z.enum(['sdk', 'whep', 'hls']);
export type WatchedBy = z.infer<typeof watchedBy>;

export const liveStream = z.object({
  id: id('str'),
  title: z.string(),
  /** Empty where there is none. */
  description: z.string(),
  /** The wallet that created it. */
  host: walletAddress,
  /** What publishes: for its host alone, everybody else gets an empty string. */
  streamKey: z.string(),
  /** The WHIP address, as `whipUrl`. */
  url: z.string(),
  whipUrl: z.string(),
  /** Without the key, which is the last part of the path; empty where the server takes no RTMP. */
  rtmpUrl: z.string(),
  whepUrl: z.string(),
  /** The HLS playlist. Its id is not the key. */
  playbackUrl: z.string(),
  /** A page to watch it. */
  watchUrl: z.string(),
  status: streamStatus,
  /** Distinct viewers right now, whichever way they watch. */
  viewerCount: z.int(),
  /** Listed and open to anybody; false: only with a viewer token of its host's making, or for who passes its gate. */
  isPublic: z.boolean(),
  gateType: gateType.nullable(),
  gate: gateConfig.nullable(),
  /** Whether it is recorded, and viewers are told so. */
  record: z.boolean(),
  /** Whether media flows in right now; false while a live stream waits for its publisher to come back. */
  isSending: z.boolean(),
  createdAt: isoDate,
  startedAt: isoDate.nullable(),
  endedAt: isoDate.nullable(),
  /** Why it ended: `ended` (by its host), `gone` (its publisher did not come back). */
  endReason: z.string().nullable(),
});
export type WireLiveStream = z.output<typeof liveStream>;

/** Somebody who watches: a wallet once, however many devices it watches with. */
const viewer = z.object({
  id: z.string(),
  streamId: id('str'),
  /** Null for who watches without signing in. */
  walletAddress: walletAddress.nullable(),
  displayName: displayName.nullable(),
  via: watchedBy,
  joinedAt: isoDate,
});
export type WireViewer = z.infer<typeof viewer>;

const content = plainText.trim().min(1).max(500);
/** A Message (messages.ts) to all who watch. */
const chatMessage = z.object({
  id: id('msg'),
  streamId: id('str'),
  from: walletAddress,
  /** The stream. */
  to: id('str'),
  content: z.string(),
  type: z.literal('text'),
  status: z.literal('sent'),
  timestamp: isoDate,
});
const sender = z.object({ walletAddress, displayName: displayName.nullable() });
const chat = z.object({ streamId: id('str'), message: chatMessage, sender });
export type WireStreamChat = z.infer<typeof chat>;

const streamId = { streamId: id('str') };
const stream = z.strictObject(streamId);
const place = id('par').optional();
/** Only if one of these connections had the place: a device that comes back does not take it from another. */
const held = z.array(plainText.max(64)).max(16).optional();

export const streamingRequests = {
  'streaming.create': {
    request: z.strictObject({
      title: plainText.trim().min(1).max(100),
      description: plainText.trim().max(2_000).default(''),
      isPublic: z.boolean().default(true),
      gate: gateConfig.nullable().default(null),
      record: z.boolean().default(false),
    }),
    response: liveStream,
  },
  /** This device becomes the publisher, instead of whoever was: then it joins the stream's media, and sends. */
  'streaming.start': { request: z.strictObject({ ...streamId, held }), response: liveStream },
  'streaming.end': { request: stream, response: nothing },
  'streaming.get': { request: stream, response: liveStream },
  /** This wallet's streams, or (`host`: null) public ones that are live; newest first. */
  'streaming.list': {
    request: z.strictObject({
      host: walletAddress.nullable().optional(),
      status: streamStatus.optional(),
      limit: z.int().min(1).max(100).default(50),
      offset: z.int().min(0).max(100_000).default(0),
    }),
    response: z.array(liveStream),
  },
  /** The former key is void from here on, and whoever publishes with it is cut off. */
  'streaming.resetKey': { request: stream, response: liveStream },
  'streaming.watch': {
    request: z.strictObject({
      ...streamId,
      displayName: displayName.optional(),
      token: plainText.max(1_000).optional(),
      place,
    }),
    /** `chat`: what was said last, the oldest first. */
    response: z.object({
      stream: liveStream,
      viewer,
      chat: z.array(chat),
      /** This device's, to be taken up again on another connection. */
      place: id('par'),
    }),
  },
  'streaming.unwatch': { request: z.strictObject({ ...streamId, place }), response: nothing },
  /** Of the device that publishes: its sound or picture is sent no longer, or again. */
  'streaming.muteAudio': { request: stream, response: nothing },
  'streaming.unmuteAudio': { request: stream, response: nothing },
  'streaming.muteVideo': { request: stream, response: nothing },
  'streaming.unmuteVideo': { request: stream, response: nothing },
  /** Who watches, the first to come first; for the host. */
  'streaming.getViewers': {
    request: z.strictObject({
      ...streamId,
      limit: z.int().min(1).max(100).default(50),
      offset: z.int().min(0).max(100_000).default(0),
    }),
    response: z.array(viewer),
  },
  /**
   * For WHEP and HLS players: carries this wallet's access, to begin to watch within an hour. Of a private stream without a gate its
   * host gets one that anybody may use, within a day or until the key is reset.
   */
  'streaming.getViewerToken': {
    request: stream,
    response: z.object({ token: z.string(), expiresAt: isoDate }),
  },
  'streaming.sendChat': { request: z.strictObject({ ...streamId, content }), response: chat },
  'streaming.getChat': {
    request: z.strictObject({
      ...streamId,
      limit: z.int().min(1).max(100).default(50),
      before: id('msg').optional(),
    }),
    response: z.array(chat),
  },
  /** By its sender, or by the host. */
  'streaming.deleteChat': {
    request: z.strictObject({ ...streamId, messageId: id('msg') }),
    response: nothing,
  },
  /** By the host: out of the stream and its chat; `banned: false` lets in again. */
  'streaming.ban': {
    request: z.strictObject({ ...streamId, walletAddress, banned: z.boolean().default(true) }),
    response: nothing,
  },
} as const;

export const streamingEvents = {
  'stream:viewer:joined': z.object({ ...streamId, viewer }),
  'stream:viewer:left': z.object({ ...streamId, viewer }),
  /** Once a second at most. */
  'stream:viewer:count': z.object({ ...streamId, count: z.int() }),
  'stream:chat:message': chat,
  'stream:chat:deleted': z.object({ ...streamId, messageId: id('msg') }),
  /** Live, waiting for its publisher, back again. */
  'stream:updated': liveStream,
  'stream:ended': liveStream,
  /** This wallet may not watch any more. */
  'stream:removed': z.object({ ...streamId, reason: z.enum(['banned', 'access_lost', 'access_unknown']) }),
  /** Another device or program publishes now, and this one no longer. */
  'stream:replaced': z.object(streamId),
} as const;
