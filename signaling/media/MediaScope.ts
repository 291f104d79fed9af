import type { Address } from '../../sdk/protocol/common.ts';
import type { NewProducer } from '../../media/MediaCluster.ts';
import type { Source, WireParticipant } from '../../sdk/protocol/media.ts';
import type { RequestContext } from '../socket/RequestContext.ts';

/** What calls, conferences and streams decide about the media of their rooms. */
export interface MediaScope {
  /** @throws ParleyError when this device may not join; with the reason `roomOver` when the room has ended */
  admit(context: RequestContext, id: string): Promise<Admission>;
  /** For rooms that may remove or mute single participants: the media layer asks again after each join or publication. */
  readonly multiparty?: MultipartyRules;
}

/** How a device may join the media of a room. */
export interface Admission {
  /** Two devices with the same identity are one participant: the later replaces the earlier. */
  identity: string;
  role: WireParticipant['role'];
  displayName: string | null;
  /** The participant's id in the room, if it outlives the device's media peer. */
  participantId?: string;
  /** Viewers cannot publish. */
  isViewer?: boolean;
  /** The highest bitrate it may send, in bits per second. */
  maxIncomingBitrate?: number;
}

/** The reason of a refusal because the room has ended. Its media is then closed. */
export const roomOver = 'over';

export type NewlySent = Pick<NewProducer, 'source' | 'rtpParameters'>;

export interface MultipartyRules {
  /** @throws ParleyError when this device may not send this source. @returns whether it starts paused, and the source it must accompany */
  mayProduce(
    context: RequestContext,
    id: string,
    sent: NewlySent,
  ): Promise<{ paused: boolean; along?: Source }>;
  /** Reports what a device connected to this node sends now. */
  onSending(id: string, wallet: Address, socketId: string, sending: Source[]): void;
  /** The active speakers, loudest first. Every node with participants of the room gets this, and the quality. */
  onSpeakers?(id: string, speakers: { participantId: string; level: number }[]): void;
  onQuality?(id: string, quality: Quality): void;
}

/** The media quality of one device, 0 to 10, or null when it has no media. */
export interface Quality {
  participantId: string;
  /** The device's connection. */
  socketId: string;
  sending: number | null;
  receiving: number | null;
}
