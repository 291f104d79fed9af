import type { PartyId } from '../../sdk/protocol/party.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { NewProducer } from '../../media/roomOperations.ts';
import type { Source, WireParticipant } from '../../sdk/protocol/media.ts';
import type { PartyContext } from '../socket/RequestContext.ts';

/** What calls, conferences and streams each implement to decide about the media of their rooms. */
export interface MediaScope {
  /** @throws ParleyError when this device may not join, for which isOver() is true if the room has ended */
  admit(context: PartyContext, id: string): Promise<Admission>;
  /** Set for rooms that several people may be in. */
  readonly multiparty?: MultipartyRules;
}

/** How a device may join the media of a room. */
export interface Admission {
  /** Two devices with the same identity are one participant: the later device replaces the earlier one. */
  identity: string;
  /**
   * The revision of the membership. Media compares it with the revisions of removals and of later admissions, so that an admission that has
   * become outdated on its way has no effect.
   */
  revision: number;
  role: WireParticipant['role'];
  displayName: string | null;
  /** The participant's id in the room, if it outlives the device's media peer. */
  participantId?: string;
  /** Viewers cannot publish. */
  isViewer?: boolean;
  /** false: the device receives no media. @default true */
  receives?: boolean;
  /** The highest bitrate the device may send, in bits per second. */
  maxIncomingBitrate?: number;
}

/** What the device of a wallet or guest in a room may send and receive. */
export interface Rights {
  wallet: PartyId;
  /** The revision of the membership that says so. */
  revision: number;
  socket: string | null;
  /** The sources that it may not send. */
  refused: readonly Source[];
  /** The sources that are muted. */
  muted: readonly Source[];
  receives: boolean;
}

/** Whether a device is refused because the room has ended. The room's media is then closed. */
export const isOver = (error: unknown) =>
  error instanceof ParleyError && ['call_over', 'room_ended', 'stream_ended'].includes(error.reason);

export type NewlySent = Pick<NewProducer, 'source' | 'rtpParameters'>;

export interface MultipartyRules {
  /**
   * Checks whether a device may send a source.
   * @throws ParleyError if it may not
   * @returns whether the source starts paused, the source it must accompany, if any, and the revision of the membership, if a later change
   * of it may pause or end the source
   */
  mayProduce(
    context: PartyContext,
    id: string,
    sent: NewlySent,
  ): Promise<{ paused: boolean; along?: Source; revision?: number }>;
  /** Reports what a device connected to this node sends now. */
  onSending?(id: string, wallet: PartyId, socketId: string, sending: Source[]): void;
  /** Reports the active speakers, loudest first. Like onQuality(), it is called on every node with participants of the room. */
  onSpeakers?(id: string, speakers: { participantId: string; level: number }[]): void;
  onQuality?(id: string, quality: Quality): void;
  /**
   * Reports whether packets of a participant that joined through this node arrive. Called on changes, and repeatedly in between.
   * Packets are only counted in rooms with this rule.
   */
  onArriving?(id: string, participantId: string, isArriving: boolean): void;
}

/** The media quality of one device in each direction, from 0 to 10; null if it has no media. */
export interface Quality {
  participantId: string;
  /** The device's connection. */
  socketId: string;
  sending: number | null;
  receiving: number | null;
}
