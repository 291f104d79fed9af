import { z } from 'zod';
import { id, isoDate } from './common.ts';
import { charged } from './http.ts';

export const provisionXmpp = z.strictObject({
  username: z
    .string()
    .regex(/^[a-z0-9._-]{3,32}$/, { error: 'three to 32 of a-z, 0-9, dot, underscore and hyphen' })
    .optional(),
  numberId: id('num').optional(),
});
export const provisionedXmpp = z.object({
  jid: z.string(),
  username: z.string(),
  domain: z.string(),
  /** Shown here and never again. */
  password: z.string(),
  host: z.string(),
  port: z.literal(5222),
  websocketUrl: z.string().nullable(),
  smsGateway: z.string().nullable(),
  numberId: id('num').nullable(),
  ...charged,
  createdAt: isoDate,
});
export type WireProvisionedXmpp = z.infer<typeof provisionedXmpp>;
