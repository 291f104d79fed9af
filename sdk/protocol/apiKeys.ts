import { z } from 'zod';
import { id, isoDate, plainText } from './common.ts';
import { keyPrefix, keyScope, momentInQuery, pageOf, paging } from './http.ts';

export const apiKey = z.object({
  id: id('key'),
  name: z.string().describe('The name it was given.'),
  /** `svc_live_` and six characters: names the key in lists and logs. */
  prefix: keyPrefix,
  last4: z.string().describe('The last four characters of the secret.'),
  scopes: z.array(keyScope).describe('What the key may do.'),
  status: z
    .enum(['active', 'revoked'])
    .describe('Whether it was revoked. Expired keys are `active` with `isExpired`.'),
  createdAt: isoDate.describe('When it was created.'),
  /** The wallet that made it; the account's id where it has none. */
  createdBy: z.string().describe('The wallet that made it; the account’s id where it has none.'),
  expiresAt: isoDate.nullable().describe('When it stops working; null: never.'),
  /** It is past `expiresAt`, and refused. `status` says only whether it was revoked. */
  isExpired: z.boolean().describe('It is past `expiresAt`, and refused.'),
  /** Written at most once a minute. */
  lastUsedAt: isoDate.nullable().describe('When it was last used, to the minute; null: never.'),
  lastUsedIp: z.string().nullable().describe('From which address it was last used.'),
  revokedAt: isoDate.nullable().describe('When it was revoked; null: it was not.'),
  revokedBy: z.string().nullable().describe('Who revoked it.'),
});
export type WireApiKey = z.infer<typeof apiKey>;

/** `webhooks`: those the key had set, which stay unless they are removed with it. */
export const revokedApiKey = apiKey.extend({
  webhooks: z
    .array(
      z.object({
        numberId: id('num'),
        url: z.string().describe('Where it posts to.'),
        isRemoved: z.boolean().describe('Whether it was removed with the key.'),
      }),
    )
    .describe('Webhooks that the key had set.'),
});
export type WireRevokedApiKey = z.infer<typeof revokedApiKey>;
/** By default webhooks stay: a key that was rotated is revoked too, and texts are to arrive on. */
export const revokeQuery = z.strictObject({
  webhooks: z
    .enum(['keep', 'remove'])
    .default('keep')
    .describe('What becomes of the webhooks that the key has set.'),
});

/** The secret is shown here and never again. */
export const createdApiKey = apiKey.extend({
  secret: z.string().describe('The key itself: shown here and never again.'),
});
export type WireCreatedApiKey = z.infer<typeof createdApiKey>;

export const createApiKey = z.strictObject({
  name: plainText.trim().min(1).max(64).describe('A name for the key, 1 to 64 characters.'),
  /** Without it: account:read, sms:send, numbers:read, numbers:buy. It may be empty. */
  scopes: z
    .array(keyScope)
    .max(50)
    .transform((scopes) => [...new Set(scopes)])
    .default(['account:read', 'sms:send', 'numbers:read', 'numbers:buy'])
    .describe('What the key may do. Without it: account:read, sms:send, numbers:read and numbers:buy.'),
  expiresInDays: z.int().min(1).max(3_650).optional().describe('Days until it expires; without it never.'),
});

export const apiKeys = pageOf(apiKey);
export const apiKeysQuery = z.strictObject(paging);
export const apiKeyId = z.object({ id: plainText.max(64).describe('The id of the key.') });

export const publishableKey = z.object({
  publishableKey: z.string().describe('The key that names this account’s apps; anybody may see it.'),
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
  'identity.linked',
  'identity.unlinked',
  'subscription.changed',
  'request',
]);
export type AuditAction = z.infer<typeof auditAction>;

export const auditRow = z.object({
  id: id('aud'),
  at: isoDate.describe('When it happened.'),
  actor: z
    .object({
      type: z.enum(['api_key', 'session', 'x402', 'operator', 'system']).describe('Who acted.'),
      id: z.string().nullable().describe('The id of the key or session.'),
      /** The key's. */
      prefix: z.string().nullable().describe('The prefix of the key.'),
      /** The wallet that paid, of a one-off payment. */
      payer: z.string().nullable().describe('The wallet that paid for the request (x402).'),
    })
    .describe('Who did it.'),
  action: auditAction.describe('What happened.'),
  method: z.string().nullable().describe('The method of the request; null for other actions.'),
  path: z.string().nullable().describe('The path of the request, without its query.'),
  status: z.int().nullable().describe('The status it was answered with.'),
  requestId: z.string().nullable().describe('The id of the request.'),
  ip: z.string().nullable().describe('The address it came from.'),
  userAgent: z.string().nullable().describe('The program it came from.'),
  credits: z.int().nullable().describe('Credits that it cost.'),
});
export type WireAuditRow = z.infer<typeof auditRow>;
export const auditLogs = pageOf(auditRow);
export const auditQuery = z.strictObject({
  keyPrefix: plainText.min(1).max(64).optional().describe('Only what this key did.'),
  action: auditAction.optional().describe('Only actions of this kind.'),
  from: momentInQuery.optional().describe('From this day or moment on, in UTC.'),
  to: momentInQuery.optional().describe('Up to this day or moment, in UTC.'),
  ...paging,
});
