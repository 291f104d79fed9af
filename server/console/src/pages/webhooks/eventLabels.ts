import type { NewEndpoint, Webhook } from '@parley/sdk';

export type EventType = NonNullable<NewEndpoint['events']>[number];

/** A description of each event that the webhook of a number may receive. */
export const eventLabels: Record<Webhook['events'][number], string> = {
  'message.received': 'The number received a text',
  'message.sent': 'The carrier accepted a text',
  'message.delivered': 'A text was delivered',
  'message.failed': 'A text could not be delivered',
  'number.activated': 'The number is active',
  'number.expiring': 'The number expires in three days',
  'number.expired': 'The number expired',
  'webhook.test': 'You sent a test event',
};

/** The events that an endpoint may receive, in groups, each with a description. */
export const eventGroups: { title: string; events: Partial<Record<EventType, string>> }[] = [
  {
    title: 'Rooms',
    events: {
      'room.started': 'The first participant joined',
      'room.ended': 'The room ended',
      'participant.joined': 'A participant joined',
      'participant.left': 'A participant left, with the reason',
      'participant.updated': 'Role, name, rights or media changed',
    },
  },
  {
    title: 'Streams',
    events: {
      'stream.live': 'The stream is live',
      'stream.idle': 'The host sends nothing for now',
      'stream.ended': 'The stream ended',
    },
  },
  {
    title: 'Calls',
    events: {
      'call.ringing': 'A call rings',
      'call.answered': 'It was answered',
      'call.ended': 'It ended',
      'call.missed': 'Nobody answered',
    },
  },
  {
    title: 'Recordings',
    events: {
      'recording.ready': 'The files can be downloaded',
      'recording.failed': 'It failed, with the reason',
    },
  },
  {
    title: 'Texts',
    events: {
      'message.received': 'A number received a text',
      'message.sent': 'The carrier accepted a text',
      'message.delivered': 'A text was delivered',
      'message.failed': 'A text could not be delivered',
    },
  },
  {
    title: 'Numbers',
    events: {
      'number.activated': 'A number is active',
      'number.expiring': 'It expires in three days',
      'number.expired': 'It expired',
    },
  },
  { title: 'Tests', events: { 'webhook.test': 'You sent a test event' } },
];

export const allEvents = eventGroups.flatMap(({ events }) => Object.keys(events) as EventType[]);

/** Which events an endpoint gets, in a few words: whole groups by their titles. */
export function describeEvents(chosen: EventType[]): string {
  if (allEvents.every((type) => chosen.includes(type))) return 'All events';
  return eventGroups
    .flatMap(({ title, events }) => {
      const types = Object.keys(events) as EventType[];
      const found = types.filter((type) => chosen.includes(type));
      return found.length === types.length ? [title] : found;
    })
    .join(', ');
}
