export { verifyWebhook } from './http/verifyWebhook.ts';
export { ParleyError, type AnyReason, type ErrorCode, type ErrorDetail } from '../protocol/errors.ts';
export type { Reason } from '../protocol/reasons.ts';
export type { WebhookEvent } from './http/phoneTypes.ts';
