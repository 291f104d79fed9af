import { z } from 'zod';
import { id, nothing, plainText } from './common.ts';
import { content, conferenceRoom, roomParticipant } from './conference.ts';

/** The maximum number of running breakouts of a room. */
export const mostBreakouts = 50;
const day = 24 * 60 * 60;

const participantIds = z.array(id('par')).max(1_000);

/** The breakouts to create. */
export const newBreakouts = {
  rooms: z
    .array(
      z.strictObject({
        name: plainText.trim().min(1).max(100).describe('The name of the breakout.'),
        participantIds: participantIds
          .default([])
          .describe('The participants of the room who are moved into this breakout.'),
      }),
    )
    .min(1)
    .max(mostBreakouts)
    .describe('The breakouts, up to 50.'),
  durationSeconds: z
    .int()
    .min(1)
    .max(day)
    .optional()
    .describe('After how many seconds all breakouts end, 1 to 86,400. Without it, a host ends them.'),
};

/** The participants to move, and the room that they are moved to. */
export const newMove = {
  participantIds: participantIds.min(1).describe('The participants to move, up to 1,000.'),
  to: id('room').describe('The room that they are moved to.'),
};

const roomId = { roomId: id('room') };
const room = z.strictObject(roomId);

export const breakoutRequests = {
  /** Creates breakouts of a room, and moves participants into them. Hosts only. */
  'breakouts.create': {
    request: z.strictObject({ ...roomId, ...newBreakouts }),
    response: z.array(conferenceRoom),
  },
  /** The running breakouts of a room, or of the parent of a breakout, oldest first. Only for its hosts and for those inside. */
  'breakouts.list': { request: room, response: z.array(conferenceRoom) },
  /**
   * Moves participants from a room to its breakout, back, or between its breakouts. Hosts only; everybody may move themselves from a
   * breakout to its parent. A participant who has left in the meantime is skipped.
   */
  'breakouts.move': {
    request: z.strictObject({ ...roomId, ...newMove }),
    response: nothing,
  },
  /** Moves everybody in the breakouts of a room back into it, and ends them. With the id of a breakout, only that one. Hosts only. */
  'breakouts.end': { request: room, response: nothing },
  /** Writes a message to the chat of a room and of all its breakouts. Hosts only. */
  'breakouts.broadcast': { request: z.strictObject({ ...roomId, content }), response: nothing },
  /** From a participant of a breakout: asks the hosts for help, wherever they are. */
  'breakouts.callHost': { request: room, response: nothing },
} as const;

const moveReason = z.enum(['host', 'ended']);
/** Why a participant was moved: by a host or backend (`host`), or because the breakout has ended (`ended`). */
export type MoveReason = z.infer<typeof moveReason>;

export const breakoutEvents = {
  /** This device was moved to another room, and now joins it with the same request as after a lost connection. */
  'conference:moved': z.object({ ...roomId, to: id('room'), reason: moveReason }),
  /** To the hosts of a room and of its breakouts: somebody in a breakout asks for a host. `roomId` and `roomName` are those of the breakout. */
  'conference:host:called': z.object({
    ...roomId,
    roomName: z.string(),
    parentId: id('room'),
    participant: roomParticipant,
  }),
} as const;
