import { z } from 'zod';
import { id, isoDate, plainText } from './common.ts';

export const fileKind = z.enum(['image', 'video', 'audio', 'file']);
export type FileKind = z.infer<typeof fileKind>;

export const fileId = id('med');

/** A stored image, video, audio file or document. */
export const mediaInfo = z.object({
  id: fileId.describe('The id of the file.'),
  /** A signed address that expires after about an hour. With `&thumbnail` it returns a small image of an image or video. */
  url: z
    .string()
    .describe(
      'A signed address that expires after about an hour. With `&thumbnail` it returns a small image of an image or video.',
    ),
  /** The type, detected from the content. */
  mimeType: z.string().describe('The type, detected from the content.'),
  size: z.int().describe('Size in bytes.'),
  name: z.string().nullable().describe('The name it was uploaded with.'),
  width: z.int().nullable().describe('Width in pixels; null for audio and documents.'),
  height: z.int().nullable().describe('Height in pixels; null for audio and documents.'),
  duration: z.number().nullable().describe('Duration in seconds; null for images and documents.'),
});
export type WireMediaInfo = z.infer<typeof mediaInfo>;

/** An upload in progress. */
export const upload = z.object({
  id: fileId.describe('The id of the upload.'),
  /** Bytes received so far. Continue from this offset. */
  offset: z.int().describe('Bytes received so far. Continue from this offset.'),
  size: z.int().nullable().describe('The announced size in bytes; null if it was not announced.'),
  /** When the file is removed, unless a message or voicemail uses it. */
  expiresAt: isoDate.describe('When the file is removed, unless a message or voicemail uses it.'),
  /** The file; null until all bytes have arrived and the content was checked. */
  media: mediaInfo
    .nullable()
    .describe('The file; null until all bytes have arrived and the content was checked.'),
});
export type WireUpload = z.infer<typeof upload>;

export const fileParams = z.object({ id: fileId.describe('The id of the file.') });
export const uploadQuery = z.strictObject({
  name: plainText.max(1_000).optional().describe('The name of the file.'),
  as: z
    .literal('file')
    .optional()
    .describe(
      '`file` stores a document: any content, unchanged, for download only. Default: an image, video or audio file, by its content.',
    ),
});
export const fileQuery = z.strictObject({
  /** In seconds since 1970. */
  expires: plainText
    .max(16)
    .optional()
    .describe('When the address expires, in seconds since 1970: part of the signed address.'),
  signature: plainText.max(64).optional().describe('Part of the signed address.'),
  /** Any value requests the small image. */
  thumbnail: plainText.max(8).optional().describe('Any value requests the small image.'),
});
