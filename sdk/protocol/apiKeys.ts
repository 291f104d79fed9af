import { z } from 'zod';
import { id, isoDate, plainText } from './common.ts';
import { keyPrefix, keyScope, momentInQuery, pageOf, paging } from './http.ts';

export const apiKey = z.object({
  id: id('key'),
  name: z.string().describe('The name of the key.'),
  /** `svc_live_` and six characters, which identify the key in lists and logs. */
  prefix: keyPrefix,
  last4: z.string().describe('The last four characters of the secret.'),
  scopes: z.array(keyScope).describe('The scopes of the key.'),
  status: z
    .enum(['active', 'revoked'])
    .describe('Whether the key was revoked. An expired key is `active` with `isExpired`.'),
  createdAt: isoDate.describe('When it was created.'),
  /** The wallet that created the key; the account's id if the account has no wallet. */
  createdBy: z
    .string()
    .describe('The wallet that created the key; the account’s id if the account has no wallet.'),
  expiresAt: isoDate.nullable().describe('When the key expires; null if it never does.'),
  /** Whether the key is past `expiresAt` and rejected. `status` shows only whether it was revoked. */
  isExpired: z.boolean().describe('Whether the key is past `expiresAt` and rejected.'),
  /** Updated at most once a minute. */
  lastUsedAt: isoDate.nullable().describe('When the key was last used, to the minute; null if never.'),
  lastUsedIp: z.string().nullable().describe('The IP address it was last used from.'),
  revokedAt: isoDate.nullable().describe('When the key was revoked; null if it was not.'),
  revokedBy: z.string().nullable().describe('The wallet or account that revoked it.'),
});
export type WireApiKey = z.infer<typeof apiKey>;

/** A revoked key, with the webhooks and endpoints that were set with it. They are kept unless the request has `webhooks=remove`. */
export const revokedApiKey = apiKey.extend({
  webhooks: z
    .array(
      z.object({
        numberId: id('num'),
        url: z.string().describe('The address that events are posted to.'),
        isRemoved: z.boolean().describe('Whether it was removed with the key.'),
      }),
    )
    .describe('The webhooks of numbers set with this key.'),
  endpoints: z
    .array(
      z.object({
        endpointId: id('whk'),
        url: z.string().describe('The address that events are posted to.'),
        isRemoved: z.boolean().describe('Whether it was removed with the key.'),
      }),
    )
    .describe('The webhook endpoints created or last changed with this key.'),
});
export type WireRevokedApiKey = z.infer<typeof revokedApiKey>;
/** Webhooks are kept by default, because a key is also revoked after a rotation, and its webhooks must then keep working. */
export const revokeQuery = z.strictObject({
  webhooks: z
    .enum(['keep', 'remove'])
    .default('keep')
    .describe('Whether to keep or remove the webhooks and endpoints set with this key.'),
});

/** The secret is returned only in this response. */
export const createdApiKey = apiKey.extend({
  secret: z.string().describe('The key itself. It is returned only in this response.'),
});
export type WireCreatedApiKey = z.infer<typeof createdApiKey>;

export const createApiKey = z.strictObject({
  name: plainText.trim().min(1).max(64).describe('The name of the key, 1 to 64 characters.'),
  /** Default: account:read, sms:send, numbers:read and numbers:buy. May be empty. */
  scopes: z
    .array(keyScope)
    .max(50)
    .transform((scopes) => [...new Set(scopes)])
    .default(['account:read', 'sms:send', 'numbers:read', 'numbers:buy'])
    .describe('The scopes of the key. Default: account:read, sms:send, numbers:read and numbers:buy.'),
  expiresInDays: z.int().min(1).max(3_650).optional().describe('Days until the key expires. Default: never.'),
});

export const apiKeys = pageOf(apiKey);
export const apiKeysQuery = z.strictObject(paging);
export const apiKeyId = z.object({ id: plainText.max(64).describe('The id of the key.') });

export const publishableKey = z.object({
  publishableKey: z.string().describe('The key that names this account’s apps. It is not a secret.'),
  createdAt: isoDate.describe('When it was created.'),
});
export type WirePublishableKey = z.infer<typeof publishableKey>;

export const auditAction = z.enum([
  'api_key.created',
  'api_key.rotated',
  'api_key.revoked',
  'session.created',
  'session.ended',
  'webhook.changed',
  'credits.granted',
  'credits.taken_back',
  'account.blocked',
  'account.unblocked',
  'identity.linked',
  'identity.unlinked',
  'subscription.changed',
  'account.exported',
  'account.deletion_requested',
  'account.restored',
  'request',
]);
export type AuditAction = z.infer<typeof auditAction>;

export const auditRow = z.object({
  id: id('aud'),
  at: isoDate.describe('When it happened.'),
  actor: z
    .object({
      type: z.enum(['api_key', 'session', 'x402', 'operator', 'system']).describe('The kind of actor.'),
      id: z.string().nullable().describe('The id of the key or session.'),
      /** The prefix of the key. */
      prefix: z.string().nullable().describe('The prefix of the key.'),
      /** The wallet that paid for the request (x402). */
      payer: z.string().nullable().describe('The wallet that paid for the request (x402).'),
    })
    .describe('Who did it.'),
  action: auditAction.describe('What happened.'),
  method: z.string().nullable().describe('The method of the request; null for other actions.'),
  path: z.string().nullable().describe('The path of the request, without its query.'),
  status: z.int().nullable().describe('The HTTP status of the response.'),
  requestId: z.string().nullable().describe('The id of the request.'),
  ip: z.string().nullable().describe('The IP address it came from.'),
  userAgent: z.string().nullable().describe('The User-Agent header of the request.'),
  credits: z.int().nullable().describe('Credits it cost.'),
});
export type WireAuditRow = z.infer<typeof auditRow>;
export const auditLogs = pageOf(auditRow);
export const auditQuery = z.strictObject({
  keyPrefix: plainText.min(1).max(64).optional().describe('Return only actions of this key.'),
  action: auditAction.optional().describe('Return only actions of this kind.'),
  hide: z
    .literal('session_reads')
    .optional()
    .describe('`session_reads` leaves out what signed-in users read, such as the pages of the console.'),
  from: momentInQuery.optional().describe('Start of the period: a day or a time, in UTC.'),
  to: momentInQuery.optional().describe('End of the period: a day or a time, in UTC.'),
  ...paging,
});
