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
  defineHandler('streaming.create', ({ caller, payload }) => streams.create(caller, payload)),
  defineHandler('streaming.get', ({ caller, payload }) => streams.get(caller, payload.streamId)),
  defineHandler('streaming.list', ({ caller, payload }) => streams.list(caller, payload)),
  defineHandler('streaming.resetKey', ({ caller, payload }) => streams.resetKey(caller, payload.streamId)),
  defineHandler('streaming.end', ({ caller, payload }) => nothing(streams.end(caller, payload.streamId))),
  defineHandler('streaming.start', async ({ caller, socket, payload }) =>
    streams.toWire(await publishers.start(caller, socket, payload), caller),
  ),
  defineHandler('streaming.muteAudio', ({ caller, payload }) =>
    nothing(media.setSending(caller, payload.streamId, 'microphone', false)),
  ),
  defineHandler('streaming.unmuteAudio', ({ caller, payload }) =>
    nothing(media.setSending(caller, payload.streamId, 'microphone', true)),
  ),
  defineHandler('streaming.muteVideo', ({ caller, payload }) =>
    nothing(media.setSending(caller, payload.streamId, 'camera', false)),
  ),
  defineHandler('streaming.unmuteVideo', ({ caller, payload }) =>
    nothing(media.setSending(caller, payload.streamId, 'camera', true)),
  ),
];

const viewerHandlers = ({ viewers, access }: StreamServices) => [
  defineHandler('streaming.watch', ({ caller, socket, payload }) => viewers.watch(caller, socket, payload)),
  defineHandler('streaming.unwatch', ({ caller, payload }) => nothing(viewers.unwatch(caller, payload))),
  defineHandler('streaming.getViewers', ({ caller, payload }) => viewers.list(caller, payload)),
  defineHandler('streaming.getViewerToken', ({ caller, payload }) => access.token(caller, payload.streamId)),
  defineHandler('streaming.ban', ({ caller, payload }) => nothing(viewers.ban(caller, payload))),
];

const chatHandlers = ({ chat }: StreamServices) => [
  defineHandler('streaming.sendChat', ({ caller, payload }) => chat.send(caller, payload)),
  defineHandler('streaming.getChat', ({ caller, payload }) => chat.read(caller, payload)),
  defineHandler('streaming.deleteChat', ({ caller, payload }) => nothing(chat.delete(caller, payload))),
];
