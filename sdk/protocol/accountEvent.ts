import { z } from 'zod';
import { id, isoDate } from './common.ts';
import { ownNumber } from './numbers.ts';
import { message } from './sms.ts';
import { realtimeEventData } from './webhookData.ts';
import type { RealtimeEventType } from './webhookEvents.ts';

/* An event of an account, as it is posted to its endpoints and listed by GET /webhooks/events. */

const common = {
  /** The webhook-id header: the same for every attempt, endpoint and replay. */
  id: id('evt').describe('The webhook-id header: the same for every attempt, endpoint and replay.'),
  timestamp: isoDate.describe('When the event happened.'),
};

/** The types must have the same data. */
const ofSubject = <Type extends RealtimeEventType>(types: readonly [Type, ...Type[]]) =>
  z.object({
    type: z.enum(types).describe('The type of the event.'),
    ...common,
    subjectId: z.string().describe('The id of the room, stream or call.'),
    /** The number of the event in its room, stream or call: 1, 2, 3, … without gaps. */
    sequence: z
      .int()
      .positive()
      .describe('The number of the event in its room, stream or call: 1, 2, 3, … without gaps.'),
    data: realtimeEventData[types[0]].describe('What the event is about, as it was then.'),
  });

const ofNothing = <Type extends string, Data extends z.ZodType>(
  types: readonly [Type, ...Type[]],
  data: Data,
) =>
  z.object({
    type: z.enum(types).describe('The type of the event.'),
    ...common,
    subjectId: z.null().describe('The event belongs to no room, stream or call.'),
    sequence: z.null().describe('The event belongs to no room, stream or call.'),
    data: data.describe('What the event is about, as it was then.'),
  });

export const accountEvent = z.union([
  ofSubject(['room.started', 'room.ended']),
  ofSubject(['participant.joined', 'participant.updated']),
  ofSubject(['participant.left']),
  ofSubject(['stream.live', 'stream.idle', 'stream.ended']),
  ofSubject(['recording.ready', 'recording.failed']),
  ofSubject(['call.ringing', 'call.answered', 'call.ended', 'call.missed']),
  ofNothing(['message.received', 'message.sent', 'message.delivered', 'message.failed'], message),
  ofNothing(['number.activated', 'number.expiring', 'number.expired'], ownNumber),
  ofNothing(['webhook.test'], z.object({ endpointId: id('whk').describe('The id of the endpoint.') })),
]);
export type WireAccountEvent = z.infer<typeof accountEvent>;
