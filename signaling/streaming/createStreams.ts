import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { ParleyServer } from '../socket/RequestContext.ts';
import type { LimitFactory } from '../../platform/limits/Limits.ts';
import type { Handlers } from '../socket/Handlers.ts';
import type { Notifier } from '../socket/Notifier.ts';
import { StreamAccess } from './StreamAccess.ts';
import { StreamChat } from './StreamChat.ts';
import type { StreamDeps } from './StreamDeps.ts';
import type { StreamGateway, StreamWindow } from './StreamGateway.ts';
import { StreamKeys, type Box } from './StreamKeys.ts';
import { StreamMedia } from './StreamMedia.ts';
import { StreamNotifier } from './StreamNotifier.ts';
import { StreamPublishers } from './StreamPublishers.ts';
import { StreamRemovals } from './StreamRemovals.ts';
import { Streams } from './Streams.ts';
import { StreamStore } from './StreamStore.ts';
import { StreamMaintenance } from './StreamMaintenance.ts';
import { StreamViewers } from './StreamViewers.ts';
import type { StreamAddresses } from './toWire.ts';
import { ViewerCounts } from './ViewerCounts.ts';
import { ViewerTokens } from './ViewerTokens.ts';
import type { Keys } from '../../platform/keys.ts';
import { oneAtATime } from '../../platform/oneAtATime.ts';

/** Settings of streams: rate limits per minute, secrets and addresses. */
export interface StreamOptions {
  addresses: StreamAddresses;
  streamsPerMinute: number;
  watchesPerMinute: number;
  chatPerMinute: number;
  reconnectMs: number;
  recheckMs: number;
  /** Keys for finding and encrypting stream keys, and for signing viewer tokens. */
  keyHashKey: Buffer;
  keyBox: Box;
  tokenKeys: Keys;
}

type Made = 'store' | 'notifier' | 'keys' | 'tokens' | 'limits' | 'addresses' | 'reconnectMs' | 'recheckMs';
type Given = Omit<StreamDeps, Made> & {
  db: NodePgDatabase;
  io: ParleyServer;
  notifier: Notifier;
  limitFactory: LimitFactory;
  isSingleNode: boolean;
};

/** Creates the rules of live streams, for a node that accepts connections. `gateway` serves the protocols without Socket.IO. */
export function createStreams(given: Given, options: StreamOptions) {
  const deps = depsOf(given, options);
  const { log, notifier } = deps;
  const access = new StreamAccess(deps);
  const counts = new ViewerCounts(deps);
  const publishers = new StreamPublishers(deps);
  const viewers = new StreamViewers(deps, access, counts);
  const streams = new Streams(deps, publishers);
  const removals = new StreamRemovals(deps, publishers, viewers);
  const media = new StreamMedia(deps, publishers, viewers);
  const chat = new StreamChat(deps);
  const maintenance = new StreamMaintenance(deps, { streams, publishers, viewers, removals });
  given.media.addScope('stream', media);
  given.recordings.addScope('stream', {
    isRunning: async (streamId) => (await deps.store.stream(streamId)).status === 'live',
    // Viewers know in advance from the stream's `record` that it is recorded, so nothing is stored or sent for it.
    lock: () => Promise.resolve(),
    clear: () => Promise.resolve(),
    notify: () => undefined,
  });
  // One after another, because each reads the records of all players here, and hundreds may go at once.
  const compare = oneAtATime(async (streamId: string) => {
    try {
      await Promise.all([publishers.compare(streamId), viewers.compare(streamId)]);
    } catch (err) {
      log.warn({ err, streamId }, 'publishers and viewers not compared');
    }
  });
  notifier.onChanged(compare);
  const gateway: StreamGateway & StreamWindow = {
    streamOfKey: (key) => streams.ofKey(key),
    claim: (streamId, publisher) => publishers.claim(streamId, publisher),
    lost: (streamId, publisherId) => publishers.lost(streamId, publisherId),
    show: (playbackId) => streams.show(playbackId),
    chat: (playbackId) => chat.show(playbackId),
    admit: (playbackId, token, subnets) => access.admit(playbackId, token, subnets),
    watching: (streamId, watching) => viewers.watching(streamId, watching),
    stillWatching: (streamId, watchingIds) => viewers.stillWatching(streamId, watchingIds),
    stoppedWatching: (streamId, watchingId) => viewers.stoppedWatching(streamId, watchingId),
  };
  const handlers: Handlers<'streaming'> = {
    'streaming.create': (context, payload) => streams.create(context, payload),
    'streaming.get': (context, payload) => streams.get(context, payload.streamId),
    'streaming.list': (context, payload) => streams.list(context, payload),
    'streaming.resetKey': (context, payload) => streams.resetKey(context, payload.streamId),
    'streaming.end': (context, payload) => streams.end(context, payload.streamId),
    'streaming.start': async (context, payload, socket) => {
      const { row, media: joined } = await publishers.start(context, socket, payload);
      return { ...streams.toWire(row, context), media: joined };
    },
    'streaming.muteAudio': (context, payload) =>
      media.setSending(context, payload.streamId, 'microphone', false),
    'streaming.unmuteAudio': (context, payload) =>
      media.setSending(context, payload.streamId, 'microphone', true),
    'streaming.muteVideo': (context, payload) => media.setSending(context, payload.streamId, 'camera', false),
    'streaming.unmuteVideo': (context, payload) =>
      media.setSending(context, payload.streamId, 'camera', true),
    'streaming.watch': (context, payload, socket) => viewers.watch(context, socket, payload),
    'streaming.unwatch': (context, payload) => viewers.unwatch(context, payload),
    'streaming.getViewers': (context, payload) => viewers.list(context, payload),
    'streaming.getViewerToken': (context, payload) => access.token(context, payload.streamId),
    'streaming.ban': (context, payload) => removals.ban(context, payload),
    'streaming.sendChat': (context, payload) => chat.send(context, payload),
    'streaming.getChat': (context, payload) => chat.read(context, payload),
    'streaming.deleteChat': (context, payload) => chat.delete(context, payload),
  };
  return {
    gateway,
    maintenance,
    handlers,
    backend: { streams, viewers, access, removals },
    async onDisconnected(socketId: string): Promise<void> {
      await Promise.all([publishers.onDisconnected(socketId), viewers.onDisconnected(socketId)]);
    },
    close(): void {
      counts.close();
      maintenance.close();
    },
  };
}

function depsOf(given: Given, options: StreamOptions): StreamDeps {
  const { db, limitFactory, log } = given;
  const { addresses, keyHashKey: hashKey, keyBox: box } = options;
  const limit = (name: string, perMinute: number) => limitFactory.perWallet(name, perMinute, 60);
  const store = new StreamStore(db, given.node);
  return {
    ...given,
    ...options,
    store,
    notifier: new StreamNotifier({ ...given, store, addresses }),
    keys: new StreamKeys({ hashKey, box, log }),
    tokens: new ViewerTokens(options.tokenKeys),
    limits: {
      creating: limit('streams', options.streamsPerMinute),
      watching: limit('watches', options.watchesPerMinute),
      chat: limit('streamchat', options.chatPerMinute),
    },
  };
}
