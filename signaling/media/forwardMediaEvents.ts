import type { Address } from '../../sdk/protocol/common.ts';
import type { MediaCluster } from '../../media/MediaCluster.ts';
import type { ParleyServer } from '../socket/RequestContext.ts';
import type { QualityLog } from '../quality/QualityLog.ts';
import type { Notifier } from '../socket/Notifier.ts';
import type { MultipartyRules } from './MediaScope.ts';
import { tagOf, toParticipant, toWireConsumer } from './peerTag.ts';

interface Forwarding {
  qualityLog: Pick<QualityLog, 'event'>;
  cluster: MediaCluster;
  notifier: Notifier;
  io: ParleyServer;
  /** The rules of a multiparty room; undefined for a call. */
  rulesOf: (roomId: string) => MultipartyRules | undefined;
}

/** Forwards media events to the devices they are about, and to the rules of the room. */
export function forwardMediaEvents({ cluster, notifier, io, rulesOf, qualityLog }: Forwarding): void {
  const { sockets } = io.of('/');
  cluster.on('consumer', ({ roomId, to, from, consumer }) => {
    const { socketId, scope } = tagOf(to);
    const shown = toWireConsumer({ from, consumer });
    notifier.toSocket(socketId, 'media:consumer', { scope, id: roomId, consumer: shown });
  });
  cluster.on('consumerClosed', ({ roomId, to, consumerId }) => {
    const { socketId, scope } = tagOf(to);
    notifier.toSocket(socketId, 'media:consumer:closed', { scope, id: roomId, consumerId });
  });
  cluster.on('peerUpdated', ({ roomId, peer }) => {
    const { socketId, scope, participant } = tagOf(peer);
    if (!socketId) return;
    // Every node with participants of the room gets this event. Only the node that the device is connected to handles it.
    if (sockets.has(socketId)) {
      const rules = rulesOf(roomId);
      rules?.onSending?.(roomId, participant.walletAddress, socketId, peer.sending);
    }
    if (scope !== 'call') return;
    notifier.toMediaRoomHere(roomId, 'call:participant:updated', toParticipant(peer), {
      exceptSocket: socketId,
    });
  });
  cluster.on('speakers', ({ roomId, speakers }) => {
    const ranked = speakers.map(({ peer, level }) => ({
      participantId: tagOf(peer).participant.id,
      level,
    }));
    rulesOf(roomId)?.onSpeakers?.(roomId, ranked);
  });
  cluster.on('quality', ({ roomId, peer, sending, receiving }) => {
    const { socketId, scope, participant } = tagOf(peer);
    if (!socketId) return;
    sockets.get(socketId)?.data.scores.set(roomId, { sending, receiving });
    if (scope === 'call')
      return notifier.toMediaRoomHere(roomId, 'call:quality', {
        callId: roomId,
        participantId: participant.id,
        walletAddress: participant.walletAddress as Address,
        sending,
        receiving,
      });
    const quality = { participantId: participant.id, socketId, sending, receiving };
    rulesOf(roomId)?.onQuality?.(roomId, quality);
  });
  cluster.on('arriving', ({ roomId, peer, isArriving }) => {
    rulesOf(roomId)?.onArriving?.(roomId, tagOf(peer).participant.id, isArriving);
  });
  cluster.on('layersWanted', ({ roomId, to, source, layer }) => {
    const { socketId, scope } = tagOf(to);
    notifier.toSocket(socketId, 'media:layers', { scope, id: roomId, source, layer });
  });
  cluster.on('roomMoving', ({ roomId, peers }) => {
    for (const { socketId, scope } of peers.map(tagOf)) {
      notifier.toSocket(socketId, 'media:goaway', { scope, id: roomId });
      qualityLog.event(sockets.get(socketId ?? ''), roomId, 'moved');
    }
  });
  cluster.on('disconnected', ({ roomId, peer }) => {
    qualityLog.event(sockets.get(tagOf(peer).socketId ?? ''), roomId, 'media_disconnected');
  });
  cluster.on('eventsMissed', ({ peers }) => {
    for (const { socketId } of peers.map(tagOf)) notifier.toSocket(socketId, 'session:missed', {});
  });
  cluster.on('roomRestarted', ({ roomId, lost, cause }) => {
    for (const { socketId, scope } of lost.map(tagOf)) {
      notifier.toSocket(socketId, 'media:restarted', { scope, id: roomId, cause });
      qualityLog.event(sockets.get(socketId ?? ''), roomId, cause === 'worker' ? 'worker_died' : 'node_died');
    }
  });
}
