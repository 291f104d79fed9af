import { z } from 'zod';
import { id, isoDate } from './common.ts';
import { charged } from './http.ts';

export const provisionXmpp = z.strictObject({
  username: z
    .string()
    .regex(/^[a-z0-9._-]{3,32}$/, { error: 'must be 3 to 32 of a-z, 0-9, dot, underscore and hyphen' })
    .optional()
    .meta({ description: 'The name of the account. Default: a generated name.', examples: ['ada'] }),
  numberId: id('num').optional().describe('The account’s number that texts are sent from.'),
});
export const provisionedXmpp = z.object({
  jid: z.string().describe('The address of the XMPP account.'),
  username: z.string().describe('The name of the XMPP account.'),
  domain: z.string().describe('The domain of the XMPP server.'),
  /** Returned only in this response. */
  password: z.string().describe('The password. Returned only in this response.'),
  host: z.string().describe('The server to connect to.'),
  port: z.literal(5222).describe('The port of the server (STARTTLS).'),
  websocketUrl: z
    .string()
    .nullable()
    .describe('The address for XMPP over WebSocket; null if the server has none.'),
  smsGateway: z
    .string()
    .nullable()
    .describe('The domain of the SMS gateway; null without one. To send a text, write to <number>@<domain>.'),
  numberId: id('num').nullable().describe('The number that texts are sent from; null without one.'),
  ...charged,
  createdAt: isoDate.describe('When it was created.'),
});
export type WireProvisionedXmpp = z.infer<typeof provisionedXmpp>;
