import type { RequestOf } from '../operations.ts';
import { kindOf } from '../plainRtp.ts';
import type { JoinedPeer, NewProducer, RoomOperations, roomOperations } from '../roomOperations.ts';

type Steps = Pick<RoomOperations, 'join' | 'connectTransport' | 'produce' | 'leave'>;

/** Joins a room, connects the transport and publishes the sources of a peer that has sent its parameters in advance. Undone if a step fails. */
export async function joinInSteps(
  room: Steps,
  { dtlsParameters, producers, ...peer }: RequestOf<typeof roomOperations, 'joinConnected'>,
  onJoined: () => void = () => undefined,
): Promise<JoinedPeer> {
  const { peerId } = peer;
  const joined = await room.join(peer);
  try {
    onJoined();
    const { id: transportId } = joined.sendTransport ?? joined.recvTransport;
    await room.connectTransport({ peerId, transportId, dtlsParameters });
    // Videos first, because the first consumer of a viewer decides whether its bandwidth is estimated: see ViewerBandwidth.
    const inOrder = producers.toSorted((one, other) => rankOf(one) - rankOf(other));
    for (const producer of inOrder) await room.produce({ peerId, ...producer });
    return joined;
  } catch (error) {
    await room.leave({ peerId }).catch(() => undefined);
    throw error;
  }
}

const rankOf = ({ source }: NewProducer) => (kindOf(source) === 'video' ? 0 : 1);
