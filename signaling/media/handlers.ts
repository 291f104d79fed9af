import type { MediaCluster } from '../../media/MediaCluster.ts';
import { defineHandler, type Handler } from '../socket/defineHandler.ts';
import type { MediaSessions } from './MediaSessions.ts';

export function mediaHandlers(sessions: MediaSessions, cluster: MediaCluster): Handler[] {
  return [
    defineHandler('media.join', ({ context, socket, payload }) => sessions.join(context, socket, payload)),
    defineHandler('media.resume', ({ context, socket, payload }) =>
      sessions.resume(context, socket, payload),
    ),
    defineHandler(
      'media.connectTransport',
      async ({ context, payload: { id, transportId, dtlsParameters } }) => {
        const peerId = sessions.peerOf(context, id);
        await cluster.room(id).connectTransport({ peerId, transportId, dtlsParameters });
        return {};
      },
    ),
    defineHandler('media.restartIce', async ({ context, payload: { id, transportId } }) => {
      const peerId = sessions.peerOf(context, id);
      return { iceParameters: await cluster.room(id).restartIce({ peerId, transportId }) };
    }),
    defineHandler('media.produce', ({ context, payload }) => sessions.produce(context, payload)),
    defineHandler('media.closeProducer', async ({ context, payload: { id, source } }) => {
      await cluster.room(id).closeProducer({ peerId: sessions.peerOf(context, id), source });
      return {};
    }),
    defineHandler('media.resumeConsumers', async ({ context, payload: { id, consumerIds } }) => {
      await cluster.room(id).resumeConsumers({ peerId: sessions.peerOf(context, id), consumerIds });
      return {};
    }),
    defineHandler('media.view', async ({ context, payload: { id, views } }) => {
      await cluster.room(id).setViews({ peerId: sessions.peerOf(context, id), views });
      return {};
    }),
    defineHandler('media.leave', async ({ context, socket, payload }) => {
      await sessions.leave(context, socket, payload.id);
      return {};
    }),
  ];
}
