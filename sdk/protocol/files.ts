import { z } from 'zod';
import { id, isoDate, plainText } from './common.ts';

export const fileKind = z.enum(['image', 'video', 'audio']);
export type FileKind = z.infer<typeof fileKind>;

export const fileId = id('med');

/** A picture, film or sound that can be shown: bytes, pixels, seconds. */
export const mediaInfo = z.object({
  id: fileId.describe('The id of the file.'),
  /** Signed, and good for about an hour; with `&thumbnail` a small picture of an image or video. */
  url: z
    .string()
    .describe('Signed, and good for about an hour; with `&thumbnail` a small picture of an image or video.'),
  /** As its content says. */
  mimeType: z.string().describe('What it is, found out from its content.'),
  size: z.int().describe('Bytes.'),
  name: z.string().nullable().describe('The name it was uploaded with.'),
  width: z.int().nullable().describe('Pixels; null for sound.'),
  height: z.int().nullable().describe('Pixels; null for sound.'),
  duration: z.number().nullable().describe('Seconds; null for pictures.'),
});
export type WireMediaInfo = z.infer<typeof mediaInfo>;

/** An upload under way. */
export const upload = z.object({
  id: fileId.describe('The id of the upload.'),
  /** Bytes that have arrived: the next go from here on. */
  offset: z.int().describe('Bytes that have arrived: send on from here.'),
  size: z.int().nullable().describe('Bytes that were announced; null where none were.'),
  /** Removed then, unless something uses it. */
  expiresAt: isoDate.describe('When it is removed, unless something uses it.'),
  /** The file, once all of it has arrived and was looked at. */
  media: mediaInfo.nullable().describe('The file, once all of it has arrived.'),
});
export type WireUpload = z.infer<typeof upload>;

export const fileParams = z.object({ id: fileId.describe('The id of the file.') });
export const uploadQuery = z.strictObject({
  name: plainText.max(1_000).optional().describe('The name of the file.'),
});
export const fileQuery = z.strictObject({
  /** Seconds since 1970. */
  expires: plainText
    .max(16)
    .optional()
    .describe('Until when the address is good, in seconds since 1970: part of the signed address.'),
  signature: plainText.max(64).optional().describe('Part of the signed address.'),
  /** The small picture of it. */
  thumbnail: plainText.max(8).optional().describe('Anything: asks for the small picture.'),
});
