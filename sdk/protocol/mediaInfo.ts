import { z } from 'zod';

/** What an upload is called. */
export const fileId = z
  .string()
  .regex(/^[a-z]{2,4}_[0-9A-Za-z]{24}$/, { error: 'the id an upload was answered with' });

/** A file that was sent, with an address that is signed and short-lived. */
export const mediaInfo = z.object({
  id: z.string(),
  url: z.string(),
  mimeType: z.string(),
  /** Bytes. */
  size: z.int().nonnegative(),
  name: z.string().nullable(),
  /** Pixels; null where it is no picture. */
  width: z.int().positive().nullable(),
  height: z.int().positive().nullable(),
  /** Seconds; null where it does not play. */
  duration: z.number().nonnegative().nullable(),
});
export type WireMediaInfo = z.infer<typeof mediaInfo>;
