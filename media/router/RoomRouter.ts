import type { RouterOperations } from './routerOperations.ts';

/**
 * A router of a room, on one worker of this process or of another node, with its transports, producers and consumers. It makes no
 * decisions; the room (MediaRoom) makes them. Parameters, results and events are plain data.
 *
 * Closing: close() ends everything in it and emits nothing. A router that ends for another reason emits `died`, once.
 */
export interface RoomRouter extends RouterOperations {
  readonly id: string;
  /** The node it is on; null for this process. */
  readonly nodeId: string | null;
  /**
   * The number of workers that its node had when this router was opened. Each of them may have a router of the room. Always 1 for this
   * process, whose workers the room knows individually.
   */
  readonly workersOfNode: number;
  readonly isClosed: boolean;
  readonly load: RouterLoad;

  close(): void;
}

export interface RouterLoad {
  /** The loads of all peers on its worker, in consumers of large videos, now or soon (PeerLoads.ts). */
  consumers: number;
  /** 0 is idle, 1 is full. */
  busy: number;
}
