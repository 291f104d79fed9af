import type { RoomEvents } from './roomEvents.ts';
import type { PeerInfo, RoomOperations } from './roomOperations.ts';

/** The interface through which signalling uses media: rooms, the peers in them, and the tracks they send. */
export interface MediaCluster {
  /** The RTP capabilities of the routers, the same in every room. A client loads its mediasoup device with them once. */
  readonly rtpCapabilities: unknown;

  /** Creates the room unless it exists. */
  openRoom(roomId: string): Promise<void>;
  /** Ends the room and all media in it. Does nothing when the room does not exist. */
  closeRoom(roomId: string): Promise<void>;
  /** A client of a room, whether it exists or not. */
  room(roomId: string): RoomOperations;

  /** How busy the node that owns a room is; null if that is not known here. */
  usageOf(roomId: string): NodeUsage | null;

  on<Name extends keyof MediaEvents>(event: Name, handler: (payload: MediaEvents[Name]) => void): void;
  close(): Promise<void>;
}

export interface NodeUsage {
  /** The media load, 0 to 1: the fullest of the workers and the network. */
  load: number;
  /** The share of all its cores that is in use, by whatever program, 0 to 1. */
  cpu: number;
}

export interface MediaEvents extends RoomEvents {
  /** The connection to the room was interrupted and events may be missing. These peers should load the room's state again (`resume`). */
  eventsMissed: { roomId: string; peers: PeerInfo[] };
}
