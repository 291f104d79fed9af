import type { ConsumerInfo, PeerInfo, PeerTag } from '../../media/roomOperations.ts';
import type { Scope, WireConsumer, WireParticipant } from '../../sdk/protocol/media.ts';

/** What signalling attaches to a media peer: its participant and its connection. */
export interface Tag extends Record<string, unknown> {
  /** Null for a peer without a Socket.IO connection: a publisher or viewer that uses WHIP, WHEP or RTMP. */
  socketId: string | null;
  scope: Scope;
  participant: Omit<WireParticipant, 'audio' | 'video' | 'screen'>;
  /** Set if it has joined without the right to receive. */
  receives?: false;
}

/** The tag of a peer without a Socket.IO connection. */
export const tagWithoutDevice = (scope: Scope, participant: Tag['participant']): PeerTag => ({
  socketId: null,
  scope,
  participant,
});

export const tagOf = (peer: PeerInfo) => peer.tag as Tag;

export function toWireConsumer({ from, consumer }: { from: PeerInfo; consumer: ConsumerInfo }): WireConsumer {
  return { ...consumer, participant: toParticipant(from) };
}

export function toParticipant(peer: PeerInfo): WireParticipant {
  return {
    ...tagOf(peer).participant,
    audio: peer.sending.includes('microphone'),
    video: peer.sending.includes('camera'),
    screen: peer.sending.includes('screen'),
  };
}
