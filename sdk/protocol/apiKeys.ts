import { z } from 'zod';
import { id, isoDate, plainText } from './common.ts';
import { keyScope, momentInQuery, pageOf, paging } from './http.ts';

export const apiKey = z.object({
  id: id('key'),
  name: z.string(),
  /** `svc_live_` and six characters: names the key in lists and logs. */
  prefix: z.string(),
  last4: z.string(),
  scopes: z.array(keyScope),
  status: z.enum(['active', 'revoked']),
  createdAt: isoDate,
  /** The wallet that made it; the account's id where it has none. */
  createdBy: z.string(),
  expiresAt: isoDate.nullable(),
  /** It is past `expiresAt`, and refused. `status` says only whether it was revoked. */
  isExpired: z.boolean(),
  /** Written at most once a minute. */
  lastUsedAt: isoDate.nullable(),
  lastUsedIp: z.string().nullable(),
  revokedAt: isoDate.nullable(),
  revokedBy: z.string().nullable(),
});
export type WireApiKey = z.infer<typeof apiKey>;

/** `webhooks`: those the key had set, which stay unless they are removed with it. */
export const revokedApiKey = apiKey.extend({
  webhooks: z.array(z.object({ numberId: id('num'), url: z.string(), isRemoved: z.boolean() })),
});
export type WireRevokedApiKey = z.infer<typeof revokedApiKey>;
/** By default webhooks stay: a key that was rotated is revoked too, and texts are to arrive on. */
export const revokeQuery = z.strictObject({ webhooks: z.enum(['keep', 'remove']).default('keep') });

/** The secret is shown here and never again. */
export const createdApiKey = apiKey.extend({ secret: z.string() });
export type WireCreatedApiKey = z.infer<typeof createdApiKey>;

export const createApiKey = z.strictObject({
  name: plainText.trim().min(1).max(64),
  /** Without it: account:read, sms:send, numbers:read, numbers:buy. It may be empty. */
  scopes: z
    .array(keyScope)
    .max(50)
    .transform((scopes) => [...new Set(scopes)])
    .default(['account:read', 'sms:send', 'numbers:read', 'numbers:buy']),
  expiresInDays: z.int().min(1).max(3_650).optional(),
});

export const apiKeys = pageOf(apiKey);
export const apiKeysQuery = z.strictObject(paging);
export const apiKeyId = z.object({ id: plainText.max(64) });

export const publishableKey = z.object({ publishableKey: z.string(), createdAt: isoDate });
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
  at: isoDate,
  actor: z.object({
    type: z.enum(['api_key', 'session', 'x402', 'operator', 'system']),
    id: z.string().nullable(),
    /** The key's. */
    prefix: z.string().nullable(),
    /** The wallet that paid, of a one-off payment. */
    payer: z.string().nullable(),
  }),
  action: auditAction,
  method: z.string().nullable(),
  path: z.string().nullable(),
  status: z.int().nullable(),
  requestId: z.string().nullable(),
  ip: z.string().nullable(),
  userAgent: z.string().nullable(),
  credits: z.int().nullable(),
});
export type WireAuditRow = z.infer<typeof auditRow>;
export const auditLogs = pageOf(auditRow);
export const auditQuery = z.strictObject({
  keyPrefix: plainText.min(1).max(64).optional(),
  action: auditAction.optional(),
  from: momentInQuery.optional(),
  to: momentInQuery.optional(),
  ...paging,
});
