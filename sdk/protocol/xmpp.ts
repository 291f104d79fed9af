import { z } from 'zod';
import { id, isoDate } from './common.ts';
import { charged } from './http.ts';

export const provisionXmpp = z.strictObject({
  username: z
    .string()
    .regex(/^[a-z0-9._-]{3,32}$/, { error: 'three to 32 of a-z, 0-9, dot, underscore and hyphen' })
    .optional()
    .meta({ description: 'A name for the account; without it one is made up.', examples: ['ada'] }),
  numberId: id('num').optional().describe('The own number that texts are sent from.'),
});
export const provisionedXmpp = z.object({
  jid: z.string().describe('The address of the account.'),
  username: z.string().describe('Its name on the server.'),
  domain: z.string().describe('The server’s domain.'),
  /** Shown here and never again. */
  password: z.string().describe('Shown here and never again.'),
  host: z.string().describe('The server to connect to.'),
  port: z.literal(5222).describe('Its port (STARTTLS).'),
  websocketUrl: z.string().nullable().describe('For XMPP over WebSocket; null where the server has none.'),
  smsGateway: z
    .string()
    .nullable()
    .describe('Texts go to <number>@ this domain; null where there is no gateway.'),
  numberId: id('num').nullable().describe('The number that texts are sent from; null without one.'),
  ...charged,
  createdAt: isoDate.describe('When it was created.'),
});
export type WireProvisionedXmpp = z.infer<typeof provisionedXmpp>;
