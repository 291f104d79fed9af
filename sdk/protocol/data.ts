import { z } from 'zod';
import { id, plainText } from './common.ts';
import { isGuest, partyId } from './guests.ts';
import { longestData } from './party.ts';

/* Schemas of data messages: JSON or bytes that an app sends to the participants of a room. The server does not store them. */

/** A JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

/** The maximum number of levels to which arrays and objects may be nested. */
const maxLevels = 100;

const isNestedIn = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((inner) => isNestedIn(inner, levels - 1)));

const tooLarge = { error: `must have at most ${longestData} bytes`, params: { code: 'too_big' } };

const json = z
  .unknown()
  .refine((value) => isNestedIn(value, maxLevels), {
    error: `must be nested at most ${maxLevels} levels deep`,
    abort: true,
  })
  .refine((value) => new TextEncoder().encode(JSON.stringify(value)).length <= longestData, tooLarge)
  .describe('Any JSON value, up to 16,384 bytes in UTF-8 without spaces, nested up to 100 levels deep.');

const decodedLength = (base64: string) => (base64.length / 4) * 3 - (/=*$/.exec(base64)?.[0].length ?? 0);

const bytes = z
  .base64({ error: 'must be base64', abort: true })
  .refine((text) => decodedLength(text) <= longestData, tooLarge)
  .describe('Bytes in base64, up to 16,384 of them.');

const topic = plainText
  .min(1)
  .max(64)
  .describe('What the data is about, in your own words: 1 to 64 characters.');

/** The fields of a message. It has either `json` or `bytes`: see `hasOneContent`. */
export const dataMessage = {
  topic,
  json: json.optional(),
  bytes: bytes.optional(),
  to: z
    .array(id('par'))
    .min(1)
    .max(100)
    .optional()
    .describe('The ids of the participants to send it to, 1 to 100. Default: everybody in the room.'),
  reliable: z
    .boolean()
    .default(true)
    .describe('false drops it for participants whose connection is congested. Default: true.'),
};

/** For `refine()` of an object with the fields of `dataMessage`. */
export const hasOneContent = [
  (message: { json?: unknown; bytes?: string | undefined }) =>
    (message.json === undefined) !== (message.bytes === undefined),
  { error: 'must have either json or bytes', path: ['json'] as string[] },
] as const;

/** A message as participants get it. */
export const receivedData = z.object({
  roomId: id('room'),
  /** The participant who sent it; null for the backend of the room's host. */
  from: id('par').nullable(),
  /** The wallet or guest who sent it; null for the backend of the room's host. */
  walletAddress: partyId.nullable(),
  isGuest,
  topic: z.string(),
  /** Missing if the message has `bytes`. */
  json: z.unknown().optional(),
  /** In base64. Missing if the message has `json`. */
  bytes: z.string().optional(),
});
export type WireReceivedData = z.infer<typeof receivedData>;
