import type { MediaCluster } from '../../media/MediaCluster.ts';
import { defineHandler, type Handler } from '../socket/defineHandler.ts';
import type { MediaSessions } from './MediaSessions.ts';

export function mediaHandlers(sessions: MediaSessions, cluster: MediaCluster): Handler[] {
  return [
    defineHandler('media.join', ({ context, socket, payload }) => sessions.join(context, socket, payload)),
    defineHandler('media.resume', ({ context, socket, payload }) =>
      sessions.resume(context, socket, payload),
    ),
    defineHandler('media.connectTransport', async ({ context, payload }) => {
      const { id, transportId, dtlsParameters } = payload;
      await cluster.connectTransport(id, sessions.peerOf(context, id), transportId, dtlsParameters);
      return {};
    }),
    defineHandler('media.restartIce', async ({ context, payload }) => {
      const { id, transportId } = payload;
      return { iceParameters: await cluster.restartIce(id, sessions.peerOf(context, id), transportId) };
    }),
    defineHandler('media.produce', ({ context, payload }) => sessions.produce(context, payload)),
    defineHandler('media.closeProducer', async ({ context, payload }) => {
      await cluster.closeProducer(payload.id, sessions.peerOf(context, payload.id), payload.source);
      return {};
    }),
    defineHandler('media.resumeConsumers', async ({ context, payload }) => {
      await cluster.resumeConsumers(payload.id, sessions.peerOf(context, payload.id), payload.consumerIds);
      return {};
    }),
    defineHandler('media.view', async ({ context, payload }) => {
      await cluster.setViews(payload.id, sessions.peerOf(context, payload.id), payload.views);
      return {};
    }),
    defineHandler('media.leave', async ({ context, socket, payload }) => {
      await sessions.leave(context, socket, payload.id);
      return {};
    }),
  ];
}
