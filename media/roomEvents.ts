import { z } from 'zod';
import { mediaId, source } from '../sdk/protocol/media.ts';
import { consumerInfo, id, peerInfo } from './roomOperations.ts';

const roomId = id;
const to = peerInfo;
/** 0 to 10; null while nothing is sent or received. */
const score = z.number().nullable();

/** The events of media rooms. */
export const roomEvents = {
  /** A new consumer was created for the peer `to`. It is paused. */
  consumer: z.object({ roomId, to, from: peerInfo, consumer: consumerInfo }),
  /** A track of this egress has ended, or its publisher has a new track that it does not send. Close the egress and open another. */
  egressChanged: z.object({ roomId, to }),
  consumerClosed: z.object({ roomId, to, consumerId: mediaId }),
  /** The peer started or stopped sending a source. */
  peerUpdated: z.object({ roomId, peer: peerInfo }),
  /**
   * Some or all of the room's media was lost, because a worker or a node died. These peers have to join again; all other peers continue.
   * Nodes of the previous release do not send the cause.
   */
  roomRestarted: z.object({
    roomId,
    lost: z.array(peerInfo),
    cause: z.enum(['worker', 'node']).default('node'),
  }),
  /**
   * The node that serves these peers is draining. They have to join the room again, on another node. Until then, packets still flow through
   * the old one.
   */
  roomMoving: z.object({ roomId, peers: z.array(peerInfo) }),
  /**
   * The peer was removed, and its signalling node did not ask for it: it was replaced or removed through another node, has moved to one, or
   * its device has joined again as another peer and left this one behind.
   */
  peerGone: z.object({ roomId, peerId: id }),
  /** In multiparty rooms: the active speakers, the loudest first. Level is 0 to 1. */
  speakers: z.object({ roomId, speakers: z.array(z.object({ peer: peerInfo, level: z.number() })) }),
  /** In multiparty rooms: the highest layer of this video that any subscriber needs; -1 for none. The peer need not send higher layers. */
  layersWanted: z.object({ roomId, to, source, layer: z.int() }),
  /**
   * Packets of a publisher's sources arrive, or have not arrived for a few seconds although it should send. Repeated every few seconds, in
   * case one is lost. Only for producers with `tellsArrival`, and for plain RTP.
   */
  arriving: z.object({ roomId, peer: peerInfo, isArriving: z.boolean() }),
  /** The peer has closed its media connection, did not connect in time, or has been silent for half a minute. It is still in the room. */
  disconnected: z.object({ roomId, peer: peerInfo }),
  /** The connection quality of this peer in each direction. Nodes of earlier releases send it in multiparty rooms only. */
  quality: z.object({
    roomId,
    peer: peerInfo,
    sending: score,
    receiving: score,
    /** Nodes of the previous release send and expect it here, and have no event `arriving`. */
    isArriving: z.boolean(),
  }),
} as const;

export type RoomEvents = { [Name in keyof typeof roomEvents]: z.output<(typeof roomEvents)[Name]> };

export type EmitRoomEvent = <Name extends keyof RoomEvents>(event: Name, payload: RoomEvents[Name]) => void;
