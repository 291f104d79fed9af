import type { MediaCluster } from '../../media/MediaCluster.ts';
import type { Handlers } from '../socket/Handlers.ts';
import type { MediaSessions } from './MediaSessions.ts';

export function mediaHandlers(sessions: MediaSessions, cluster: MediaCluster): Handlers<'media'> {
  return {
    'media.join': (context, payload, socket) => sessions.join(context, socket, payload),
    'media.resume': (context, payload, socket) => sessions.resume(context, socket, payload),
    'media.connectTransport': async (context, { id, transportId, dtlsParameters }) => {
      const peerId = sessions.peerOf(context, id);
      await cluster.room(id).connectTransport({ peerId, transportId, dtlsParameters });
    },
    'media.restartIce': async (context, { id, transportId }) => {
      const peerId = sessions.peerOf(context, id);
      return { iceParameters: await cluster.room(id).restartIce({ peerId, transportId }) };
    },
    'media.produce': (context, payload) => sessions.produce(context, payload),
    'media.closeProducer': async (context, { id, source }) => {
      await cluster.room(id).closeProducer({ peerId: sessions.peerOf(context, id), source });
    },
    'media.resumeConsumers': async (context, { id, consumerIds }) => {
      await cluster.room(id).resumeConsumers({ peerId: sessions.peerOf(context, id), consumerIds });
    },
    'media.view': async (context, { id, views }) => {
      await cluster.room(id).setViews({ peerId: sessions.peerOf(context, id), views });
    },
    'media.report': (context, payload, socket) => sessions.report(context, socket, payload),
    'media.leave': (context, payload, socket) => sessions.leave(context, socket, payload.id),
  };
}
