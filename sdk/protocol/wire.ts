import type { z } from 'zod';
import { breakoutEvents, breakoutRequests } from './breakouts.ts';
import { callEvents, callRequests } from './calls.ts';
import { conferenceEvents, conferenceRequests } from './conference.ts';
import type { ErrorBody } from './errors.ts';
import { groupEvents, groupRequests } from './groups.ts';
import { mediaEvents, mediaRequests } from './media.ts';
import { mediaTestRequests } from './mediaTest.ts';
import { messageEvents, messageRequests } from './messages.ts';
import { notificationRequests } from './notifications.ts';
import { peopleEvents, peopleRequests } from './people.ts';
import { qualityRequests } from './quality.ts';
import { recordingEvents, recordingRequests } from './recordings.ts';
import { sessionEvents, sessionRequests } from './session.ts';
import { streamingEvents, streamingRequests } from './streaming.ts';
import { voicemailEvents, voicemailRequests } from './voicemail.ts';

/** Every request a client may send, by its name on the wire, which is also the name of the SDK's method. */
export const requests = {
  ...sessionRequests,
  ...callRequests,
  ...conferenceRequests,
  ...breakoutRequests,
  ...messageRequests,
  ...groupRequests,
  ...mediaRequests,
  ...mediaTestRequests,
  ...qualityRequests,
  ...notificationRequests,
  ...peopleRequests,
  ...voicemailRequests,
  ...streamingRequests,
  ...recordingRequests,
};

/** Every event the server sends. */
export const events = {
  ...sessionEvents,
  ...callEvents,
  ...conferenceEvents,
  ...breakoutEvents,
  ...messageEvents,
  ...groupEvents,
  ...mediaEvents,
  ...peopleEvents,
  ...voicemailEvents,
  ...streamingEvents,
  ...recordingEvents,
};

export type RequestName = keyof typeof requests;
export type EventName = keyof typeof events;

/** A request as the client writes it: fields with defaults may be left out. */
export type RequestInput<Name extends RequestName> = z.input<(typeof requests)[Name]['request']>;
/** A request as the handler receives it: defaults are filled in. */
export type RequestOf<Name extends RequestName> = z.output<(typeof requests)[Name]['request']>;
export type ResponseOf<Name extends RequestName> = z.output<(typeof requests)[Name]['response']>;
export type EventOf<Name extends EventName> = z.output<(typeof events)[Name]>;

/** The acknowledgement of a request. */
export type Answer<Name extends RequestName> =
  | { ok: true; data: ResponseOf<Name> }
  | { ok: false; error: ErrorBody };

/** The event maps of Socket.IO. */
export type ClientToServerEvents = {
  [Name in RequestName]: (payload: RequestInput<Name>, acknowledge: (answer: Answer<Name>) => void) => void;
};
export type ServerToClientEvents = {
  /** `sequence` is the event's number in the wallet's event log. Only events that are stored for disconnected devices have one. */
  [Name in EventName]: (payload: EventOf<Name>, sequence?: number) => void;
} & {
  /** A request without an acknowledgement failed. */
  'request:failed': (error: ErrorBody) => void;
};
