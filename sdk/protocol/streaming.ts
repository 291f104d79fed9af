import { z } from 'zod';
import { displayName, id, isoDate, nothing, plainText } from './common.ts';
import { gateConfig, gateType } from './gates.ts';
import { isGuest, partyId } from './guests.ts';
import { answeredMedia, wantedMedia } from './media.ts';

export const streamStatus = z.enum(['idle', 'live', 'ended']);
/** The state of a stream: `idle` until it goes live. */
export type StreamStatus = z.infer<typeof streamStatus>;

/** The resolution that a publisher sends at 30 frames per second. The bitrates are 2.5, 4.5 and 13 Mbit/s. */
export const streamQuality = z.enum(['720p', '1080p', '4k']);
/** The resolution that a publisher sends, at 30 frames per second: 2.5 (`720p`), 4.5 (`1080p`) or 13 Mbit/s (`4k`). */
export type StreamQuality = z.infer<typeof streamQuality>;

/** How a stream is published. */
export const publishedBy = z.enum(['sdk', 'whip', 'rtmp']);
/** How a stream is published. */
export type PublishedBy = z.infer<typeof publishedBy>;
/** How a stream is watched. */
export const watchedBy = z.enum(['sdk', 'whep', 'hls']);
/** How a stream is watched. */
export type WatchedBy = z.infer<typeof watchedBy>;

export const liveStream = z.object({
  id: id('str'),
  title: z.string(),
  /** The description; empty if there is none. */
  description: z.string(),
  /** The wallet that created the stream, or the account without a wallet (`account:…`) whose backend did. */
  host: partyId,
  /** The key for publishing. Only the host receives it; for all others it is empty. */
  streamKey: z.string(),
  /** The same as `whipUrl`. */
  url: z.string(),
  whipUrl: z.string(),
  /** The RTMP address without the key, which must be appended as the last part of its path. Empty if the server does not accept RTMP. */
  rtmpUrl: z.string(),
  whepUrl: z.string(),
  /** The address of the HLS playlist. It does not contain the key. */
  playbackUrl: z.string(),
  /** The address of a page to watch the stream. */
  watchUrl: z.string(),
  status: streamStatus,
  /** The current number of distinct viewers, by SDK, WHEP and HLS together. */
  viewerCount: z.int(),
  /** true: listed and open to all. false: open only with a viewer token from the host, or to wallets that meet the gate. */
  isPublic: z.boolean(),
  gateType: gateType.nullable(),
  gate: gateConfig.nullable(),
  /** Whether the stream is recorded. Viewers also receive this field. */
  record: z.boolean(),
  /** Whether the publisher sends media right now. false while a live stream waits for its publisher to reconnect. */
  isSending: z.boolean(),
  createdAt: isoDate,
  startedAt: isoDate.nullable(),
  endedAt: isoDate.nullable(),
  /** Why it ended: `ended` (by its host), `gone` (its publisher did not come back). */
  endReason: z.string().nullable(),
});
export type WireLiveStream = z.output<typeof liveStream>;

/** A viewer. A wallet counts as one viewer, however many devices it watches on. */
const viewer = z.object({
  id: z.string(),
  streamId: id('str'),
  /** The wallet; `guest:…` for a guest with a participant token; null for a viewer without either. */
  walletAddress: partyId.nullable(),
  isGuest,
  displayName: displayName.nullable(),
  via: watchedBy,
  joinedAt: isoDate,
});
export type WireViewer = z.infer<typeof viewer>;

const content = plainText.trim().min(1).max(500);
/** A chat message to all viewers. It has the same form as a message between wallets (messages.ts). */
const chatMessage = z.object({
  id: id('msg'),
  streamId: id('str'),
  from: partyId,
  /** The id of the stream. */
  to: id('str'),
  content: z.string(),
  type: z.literal('text'),
  status: z.literal('sent'),
  timestamp: isoDate,
});
const sender = z.object({ walletAddress: partyId, isGuest, displayName: displayName.nullable() });
const chat = z.object({ streamId: id('str'), message: chatMessage, sender });
export type WireStreamChat = z.infer<typeof chat>;

const streamId = { streamId: id('str') };
const stream = z.strictObject(streamId);
/** The id of this device's membership as a viewer. */
const place = id('par').optional();
/**
 * The ids of this device's connections, including earlier ones. The request fails unless one of them is the publisher, so that a
 * returning device does not take over from another device.
 */
const held = z.array(plainText.max(64)).max(16).optional();

/** What a stream shows, and whom it admits. */
export const streamFields = {
  title: plainText.trim().min(1).max(100).describe('The title, 1 to 100 characters.'),
  description: plainText.trim().max(2_000).describe('The description, up to 2,000 characters.'),
  isPublic: z
    .boolean()
    .describe(
      'true: listed and open to all. false: open only with a viewer token or participant token. A gate applies in both cases.',
    ),
  record: z.boolean().describe('Whether the stream is recorded from the first time it is live.'),
};
export const newStream = z.strictObject({
  title: streamFields.title,
  description: streamFields.description.default(''),
  isPublic: streamFields.isPublic.default(true),
  gate: gateConfig
    .nullable()
    .default(null)
    .describe('The condition that wallets must meet to watch; null for none. Guests never meet one.'),
  record: streamFields.record.default(false),
});

export const streamingRequests = {
  'streaming.create': { request: newStream, response: liveStream },
  /** Makes this device the publisher in place of the previous one. The device then joins the stream's media and produces. */
  'streaming.start': {
    request: z.strictObject({ ...streamId, held, ...wantedMedia }),
    response: liveStream.extend(answeredMedia),
  },
  'streaming.end': { request: stream, response: nothing },
  'streaming.get': { request: stream, response: liveStream },
  /** The streams of this wallet, or with `host: null` all public streams that are live; newest first. */
  'streaming.list': {
    request: z.strictObject({
      host: partyId.nullable().optional(),
      status: streamStatus.optional(),
      limit: z.int().min(1).max(100).default(50),
      offset: z.int().min(0).max(100_000).default(0),
    }),
    response: z.array(liveStream),
  },
  /** Creates a new key. The old one becomes invalid, and a publisher that uses it is disconnected. */
  'streaming.resetKey': { request: stream, response: liveStream },
  'streaming.watch': {
    request: z.strictObject({
      ...streamId,
      displayName: displayName.optional(),
      token: plainText.max(1_000).optional(),
      place,
      ...wantedMedia,
    }),
    /** `chat`: the latest messages, oldest first. */
    response: z.object({
      stream: liveStream,
      viewer,
      chat: z.array(chat),
      /** The id of this device's membership as a viewer. Send it again to resume on another connection. */
      place: id('par'),
      ...answeredMedia,
    }),
  },
  'streaming.unwatch': { request: z.strictObject({ ...streamId, place }), response: nothing },
  /** Only for the device that publishes: stops or resumes sending audio or video. */
  'streaming.muteAudio': { request: stream, response: nothing },
  'streaming.unmuteAudio': { request: stream, response: nothing },
  'streaming.muteVideo': { request: stream, response: nothing },
  'streaming.unmuteVideo': { request: stream, response: nothing },
  /** Only for the host: the viewers, in the order in which they joined. */
  'streaming.getViewers': {
    request: z.strictObject({
      ...streamId,
      limit: z.int().min(1).max(100).default(50),
      offset: z.int().min(0).max(100_000).default(0),
    }),
    response: z.array(viewer),
  },
  /**
   * Returns a token with which a WHEP or HLS player watches as this wallet. Playback must start within an hour. The host of a private
   * stream without a gate gets a token that anyone may use for a day, or until the stream key is reset.
   */
  'streaming.getViewerToken': {
    request: stream,
    response: z.object({ token: z.string(), expiresAt: isoDate }),
  },
  /**
   * Sends a chat message to the host and all viewers. Only for the host and viewers. With an `id`, one that is sent again is stored once;
   * the stored message has another id.
   */
  'streaming.sendChat': {
    request: z.strictObject({ ...streamId, content, id: id('msg').optional() }),
    response: chat,
  },
  'streaming.getChat': {
    request: z.strictObject({
      ...streamId,
      limit: z.int().min(1).max(100).default(50),
      before: id('msg').optional(),
    }),
    response: z.array(chat),
  },
  /** Only for the sender of the message and for the host. */
  'streaming.deleteChat': {
    request: z.strictObject({ ...streamId, messageId: id('msg') }),
    response: nothing,
  },
  /** Only for the host: removes a wallet from the stream and its chat. `banned: false` lifts the ban. */
  'streaming.ban': {
    request: z.strictObject({ ...streamId, walletAddress: partyId, banned: z.boolean().default(true) }),
    response: nothing,
  },
} as const;

export const streamingEvents = {
  'stream:viewer:joined': z.object({ ...streamId, viewer }),
  'stream:viewer:left': z.object({ ...streamId, viewer }),
  /** Sent at most once a second; above 10,000 viewers less often, with 50,000 every five seconds. */
  'stream:viewer:count': z.object({ ...streamId, count: z.int() }),
  'stream:chat:message': chat,
  'stream:chat:deleted': z.object({ ...streamId, messageId: id('msg') }),
  /** The stream went live, or its publisher's connection was lost or restored. */
  'stream:updated': liveStream,
  'stream:ended': liveStream,
  /** This wallet or guest may no longer watch. `revoked`: its participant token. `replaced`: another device uses the token now. */
  'stream:removed': z.object({
    ...streamId,
    reason: z.enum(['banned', 'access_lost', 'access_unknown', 'revoked', 'replaced']),
  }),
  /** Another device or program replaced this device as the publisher. */
  'stream:replaced': z.object(streamId),
} as const;
