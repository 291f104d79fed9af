import { toIso } from '../connection/guard.ts';
import type { RoomSettings } from '../types.ts';

/** The room to create. */
export interface NewRoom {
  /** 1 to 100 characters. */
  name: string;
  /** The maximum number of participants at a time, 2 to 1,000. */
  maxParticipants: number;
  /** Whether participants may send video. @default true */
  video?: boolean;
  /** Whether participants may send audio. @default true */
  audio?: boolean;
  /**
   * The settings of the room. @default `allowScreenShare` and `allowChat` on, all other switches off, `codec` 'vp8', `emptyTimeout` 300,
   * `maxDuration` null
   */
  settings?: Partial<RoomSettings>;
  /**
   * When the room is to start, at most a year ahead. Until then, the room does not end because nobody is in it; nor for a day after, unless
   * somebody was in it since: then `emptyTimeout` counts. Anyone may join earlier; `maxDuration` and `record` begin with the first join.
   * @default none: a room that nobody joins ends after a day
   */
  startsAt?: Date;
}

/** The room to create, as it is sent. */
export const toNewRoom = <Room extends NewRoom>({ startsAt, ...room }: Room) => ({
  ...room,
  ...(startsAt === undefined ? {} : { startsAt: toIso('startsAt', startsAt) }),
});
