import type { Address } from '../../sdk/protocol/common.ts';
import type { NewProducer } from '../../media/MediaCluster.ts';
import type { Source, WireParticipant } from '../../sdk/protocol/media.ts';
import type { RequestContext } from '../socket/RequestContext.ts';

/** What calls, conferences and streams decide about their rooms' media. */
export interface MediaScope {
  /** @throws ParleyError when this device may not take part; with the reason `roomOver` when nobody may */
  admit(context: RequestContext, id: string): Promise<Admission>;
  /** Where somebody may be thrown out, or hushed, while the others go on: whoever was let in is asked for again afterwards. */
  readonly multiparty?: MultipartyRules;
}

/** How a wallet takes part in a room. */
export interface Admission {
  /** Two devices in one seat are one party: the later takes the place of the earlier. */
  identity: string;
  role: WireParticipant['role'];
  displayName: string | null;
  /** Its id in the room, where that outlives a device's place in the media. */
  participantId?: string;
  /** It looks on, and sends nothing. */
  isViewer?: boolean;
  /** What it may send, in bits a second. */
  maxIncomingBitrate?: number;
}

/** The reason of a refusal to admit anybody any more: then its room is of no use. */
export const roomOver = 'over';

export type NewlySent = Pick<NewProducer, 'source' | 'rtpParameters'>;

export interface MultipartyRules {
  /** @throws ParleyError when this device may not send this. @returns whether it is to begin paused, and what it has to go along with */
  mayProduce(
    context: RequestContext,
    id: string,
    sent: NewlySent,
  ): Promise<{ paused: boolean; along?: Source }>;
  /** What a device that is connected to this node sends now. */
  onSending(id: string, wallet: Address, socketId: string, sending: Source[]): void;
  /** Who speaks, the loudest first. Every node with people of the room hears this, and of quality. */
  onSpeakers?(id: string, speakers: { participantId: string; level: number }[]): void;
  onQuality?(id: string, quality: Quality): void;
}

/** How well the media of one device gets through, 0 to 10; null where there is none. */
export interface Quality {
  participantId: string;
  /** The connection of the device. */
  socketId: string;
  sending: number | null;
  receiving: number | null;
}
