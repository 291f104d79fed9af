import type { PayloadTypes } from '../router/payloadTypes.ts';
import type { RoomRouter } from '../router/RoomRouter.ts';
import type { RouterEvent } from '../router/routerOperations.ts';
import type { Candidate } from './placement.ts';

export type OnRouterEvent = (router: RoomRouter, event: RouterEvent) => void;

/** The other media nodes, on which a room may open further routers. */
export interface Neighbours {
  /** All media nodes except this one. */
  candidates(): Candidate[];
  /** A media node; undefined when it is dead or cannot be reached. */
  candidate(nodeId: string): Candidate | undefined;
  /** @throws ParleyError SERVICE_UNAVAILABLE when the node can't be reached */
  openRouter(
    nodeId: string,
    roomId: string,
    onEvent: OnRouterEvent,
    payloadTypes?: PayloadTypes,
  ): Promise<RoomRouter>;
}
