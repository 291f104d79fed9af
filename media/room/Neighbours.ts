import type { PayloadTypes } from '../router/payloadTypes.ts';
import type { RoomRouter, RouterEvent } from '../router/RoomRouter.ts';
import type { Candidate } from './placement.ts';

export type OnRouterEvent = (router: RoomRouter, event: RouterEvent) => void;
/** Media nodes a room may spread to. */

export interface Neighbours {
  /** Without this node. */
  candidates(): Candidate[];
  /** @throws ParleyError SERVICE_UNAVAILABLE when it can't be reached */
  openRouter(
    nodeId: string,
    roomId: string,
    tell: OnRouterEvent,
    payloadTypes?: PayloadTypes,
  ): Promise<RoomRouter>;
}
