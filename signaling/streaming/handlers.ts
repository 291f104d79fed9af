import type { Handlers } from '../socket/Handlers.ts';
import type { StreamAccess } from './StreamAccess.ts';
import type { StreamChat } from './StreamChat.ts';
import type { StreamMedia } from './StreamMedia.ts';
import type { StreamPublishers } from './StreamPublishers.ts';
import type { Streams } from './Streams.ts';
import type { StreamViewers } from './StreamViewers.ts';

export interface StreamServices {
  streams: Streams;
  publishers: StreamPublishers;
  viewers: StreamViewers;
  access: StreamAccess;
  media: StreamMedia;
  chat: StreamChat;
}

export function streamHandlers(services: StreamServices): Handlers<'streaming'> {
  const { streams, publishers, viewers, access, media, chat } = services;
  return {
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
    'streaming.ban': (context, payload) => viewers.ban(context, payload),
    'streaming.sendChat': (context, payload) => chat.send(context, payload),
    'streaming.getChat': (context, payload) => chat.read(context, payload),
    'streaming.deleteChat': (context, payload) => chat.delete(context, payload),
  };
}
