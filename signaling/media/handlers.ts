import type { MediaCluster } from '../../media/MediaCluster.ts';
import { defineHandler, type Handler } from '../socket/defineHandler.ts';
import type { MediaSessions } from './MediaSessions.ts';

export function mediaHandlers(sessions: MediaSessions, cluster: MediaCluster): Handler[] {
  return [
    defineHandler('media.join', ({ caller, socket, payload }) => sessions.join(caller, socket, payload)),
    defineHandler('media.resume', ({ caller, socket, payload }) => sessions.resume(caller, socket, payload)),
    defineHandler('media.connectTransport', async ({ caller, payload }) => {
      const { id, transportId, dtlsParameters } = payload;
      await cluster.connectTransport(id, sessions.peerOf(caller, id), transportId, dtlsParameters);
      return {};
    }),
    defineHandler('media.restartIce', async ({ caller, payload }) => {
      const { id, transportId } = payload;
      return { iceParameters: await cluster.restartIce(id, sessions.peerOf(caller, id), transportId) };
    }),
    defineHandler('media.produce', ({ caller, payload }) => sessions.produce(caller, payload)),
    defineHandler('media.closeProducer', async ({ caller, payload }) => {
      await cluster.closeProducer(payload.id, sessions.peerOf(caller, payload.id), payload.source);
      return {};
    }),
    defineHandler('media.resumeConsumers', async ({ caller, payload }) => {
      await cluster.resumeConsumers(payload.id, sessions.peerOf(caller, payload.id), payload.consumerIds);
      return {};
    }),
    defineHandler('media.view', async ({ caller, payload }) => {
      await cluster.setViews(payload.id, sessions.peerOf(caller, payload.id), payload.views);
      return {};
    }),
    defineHandler('media.leave', async ({ caller, socket, payload }) => {
      await sessions.leave(caller, socket, payload.id);
      return {};
    }),
  ];
}
