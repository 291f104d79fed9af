import { z } from 'zod';
import { id, isoDate, plainText } from './common.ts';

export const fileKind = z.enum(['image', 'video', 'audio']);
export type FileKind = z.infer<typeof fileKind>;

export const fileId = id('med');

/** A picture, film or sound that can be shown: bytes, pixels, seconds. */
export const mediaInfo = z.object({
  id: fileId,
  /** Signed, and good for about an hour; with `&thumbnail` a small picture of an image or video. */
  url: z.string(),
  /** As its content says. */
  mimeType: z.string(),
  size: z.int(),
  name: z.string().nullable(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  duration: z.number().nullable(),
});
export type WireMediaInfo = z.infer<typeof mediaInfo>;

/** An upload under way. */
export const upload = z.object({
  id: fileId,
  /** Bytes that have arrived: the next go from here on. */
  offset: z.int(),
  size: z.int().nullable(),
  /** Removed then, unless something uses it. */
  expiresAt: isoDate,
  /** The file, once all of it has arrived and was looked at. */
  media: mediaInfo.nullable(),
});
export type WireUpload = z.infer<typeof upload>;

export const fileParams = z.object({ id: fileId });
export const uploadQuery = z.strictObject({ name: plainText.max(1_000).optional() });
export const fileQuery = z.strictObject({
  /** Seconds since 1970. */
  expires: plainText.max(16).optional(),
  signature: plainText.max(64).optional(),
  /** The small picture of it. */
  thumbnail: plainText.max(8).optional(),
});
