import type { PayloadTypes } from '../router/payloadTypes.ts';
import type { RoomPart, PartNews } from '../router/RoomRouter.ts';
import type { Candidate } from './placement.ts';

export type TellOfPart = (part: RoomPart, news: PartNews) => void;
/** Media nodes a room may spread to. */

export interface Neighbours {
  /** Without this node. */
  candidates(): Candidate[];
  /** @throws ParleyError SERVICE_UNAVAILABLE when it can't be reached */
  openPart(nodeId: string, roomId: string, tell: TellOfPart, payloadTypes?: PayloadTypes): Promise<RoomPart>;
}
