import { defineHandler, type Handler } from '../socket/defineHandler.ts';
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

const nothing = async (done: Promise<void>) => {
  await done;
  return {};
};

export function streamHandlers(services: StreamServices): Handler[] {
  return [...hostHandlers(services), ...viewerHandlers(services), ...chatHandlers(services)];
}

const hostHandlers = ({ streams, publishers, media }: StreamServices) => [
  defineHandler('streaming.create', ({ context, payload }) => streams.create(context, payload)),
  defineHandler('streaming.get', ({ context, payload }) => streams.get(context, payload.streamId)),
  defineHandler('streaming.list', ({ context, payload }) => streams.list(context, payload)),
  defineHandler('streaming.resetKey', ({ context, payload }) => streams.resetKey(context, payload.streamId)),
  defineHandler('streaming.end', ({ context, payload }) => nothing(streams.end(context, payload.streamId))),
  defineHandler('streaming.start', async ({ context, socket, payload }) => {
    const { row, media } = await publishers.start(context, socket, payload);
    return { ...streams.toWire(row, context), media };
  }),
  defineHandler('streaming.muteAudio', ({ context, payload }) =>
    nothing(media.setSending(context, payload.streamId, 'microphone', false)),
  ),
  defineHandler('streaming.unmuteAudio', ({ context, payload }) =>
    nothing(media.setSending(context, payload.streamId, 'microphone', true)),
  ),
  defineHandler('streaming.muteVideo', ({ context, payload }) =>
    nothing(media.setSending(context, payload.streamId, 'camera', false)),
  ),
  defineHandler('streaming.unmuteVideo', ({ context, payload }) =>
    nothing(media.setSending(context, payload.streamId, 'camera', true)),
  ),
];

const viewerHandlers = ({ viewers, access }: StreamServices) => [
  defineHandler('streaming.watch', ({ context, socket, payload }) => viewers.watch(context, socket, payload)),
  defineHandler('streaming.unwatch', ({ context, payload }) => nothing(viewers.unwatch(context, payload))),
  defineHandler('streaming.getViewers', ({ context, payload }) => viewers.list(context, payload)),
  defineHandler('streaming.getViewerToken', ({ context, payload }) =>
    access.token(context, payload.streamId),
  ),
  defineHandler('streaming.ban', ({ context, payload }) => nothing(viewers.ban(context, payload))),
];

const chatHandlers = ({ chat }: StreamServices) => [
  defineHandler('streaming.sendChat', ({ context, payload }) => chat.send(context, payload)),
  defineHandler('streaming.getChat', ({ context, payload }) => chat.read(context, payload)),
  defineHandler('streaming.deleteChat', ({ context, payload }) => nothing(chat.delete(context, payload))),
];
