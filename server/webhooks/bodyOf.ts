import { toIso } from '../../sdk/protocol/common.ts';
import type { WebhookEventType } from '../../sdk/protocol/webhookEvents.ts';

/** The maximum size of the data in a body, so that receivers can set a limit. Events are far smaller. */
const dataLimitBytes = 256 * 1_024;

/** The data of an event. If it is too large, only its id is sent; the receiver can load the rest from the API. */
export const boundedData = (data: object): object =>
  Buffer.byteLength(JSON.stringify(data)) <= dataLimitBytes
    ? data
    : { id: (data as { id?: unknown }).id ?? null };

/** Builds the body of an event for the webhook of a number. */
export const bodyOf = (type: WebhookEventType, at: Date, data: object): string =>
  JSON.stringify({ type, timestamp: toIso(at), data: boundedData(data) });
