import type { z } from 'zod';
import { callEvents, callRequests } from './calls.ts';
import { conferenceEvents, conferenceRequests } from './conference.ts';
import type { ErrorBody } from './errors.ts';
import { mediaEvents, mediaRequests } from './media.ts';
import { messageEvents, messageRequests } from './messages.ts';
import { notificationRequests } from './notifications.ts';
import { recordingEvents, recordingRequests } from './recordings.ts';
import { sessionEvents, sessionRequests } from './session.ts';
import { streamingEvents, streamingRequests } from './streaming.ts';
import { voicemailEvents, voicemailRequests } from './voicemail.ts';

/** Every request a client may send, by its name on the wire: the name of the SDK's method. */
export const requests = {
  ...sessionRequests,
  ...callRequests,
  ...conferenceRequests,
  ...messageRequests,
  ...mediaRequests,
  ...notificationRequests,
  ...voicemailRequests,
  ...streamingRequests,
  ...recordingRequests,
};

/** Every event a server sends. */
export const events = {
  ...sessionEvents,
  ...callEvents,
  ...conferenceEvents,
  ...messageEvents,
  ...mediaEvents,
  ...voicemailEvents,
  ...streamingEvents,
  ...recordingEvents,
};

export type RequestName = keyof typeof requests;
export type EventName = keyof typeof events;

/** A request as the client writes it (defaults may be left out) … */
export type RequestInput<Name extends RequestName> = z.input<(typeof requests)[Name]['request']>;
/** … and as the handler reads it. */
export type RequestOf<Name extends RequestName> = z.output<(typeof requests)[Name]['request']>;
export type ResponseOf<Name extends RequestName> = z.output<(typeof requests)[Name]['response']>;
export type EventOf<Name extends EventName> = z.output<(typeof events)[Name]>;

/** How every request is answered. */
export type Answer<Name extends RequestName> =
  { ok: true; data: ResponseOf<Name> } | { ok: false; error: ErrorBody };

/** Socket.IO's two maps. */
export type ClientToServerEvents = {
  [Name in RequestName]: (payload: RequestInput<Name>, acknowledge: (answer: Answer<Name>) => void) => void;
};
export type ServerToClientEvents = {
  /** What is kept for devices that are away has a number in its wallet's sequence. */
  [Name in EventName]: (payload: EventOf<Name>, sequence?: number) => void;
} & {
  /** A request that asked for no acknowledgement, and failed. */
  'request:failed': (error: ErrorBody) => void;
};
