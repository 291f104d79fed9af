export { ParleyHttp } from './ParleyHttp.ts';
export { ParleyError } from '../protocol/errors.ts';
export { newIdempotencyKey } from './http/newIdempotencyKey.ts';
export { verifyWebhook } from './http/verifyWebhook.ts';
export type { BackendOptions } from './options.ts';
export type { Account } from './http/account.ts';
export type { AccountCalls } from './http/accountCalls.ts';
export type { AccountRecordings } from './http/accountRecordings.ts';
export type { ApiKeys } from './http/apiKeys.ts';
export type { Esim } from './http/esim.ts';
export type { Leaksearch } from './http/leaksearch.ts';
export type { Lookup } from './http/lookup.ts';
export type { Messaging } from './http/messaging.ts';
export type { Numbers } from './http/numbers.ts';
export type { Operator } from './http/operator.ts';
export type { Rooms } from './http/rooms.ts';
export type { Sms } from './http/sms.ts';
export type { Streams } from './http/streams.ts';
export type { Verifications } from './http/verifications.ts';
export type { Webhooks } from './http/webhooks.ts';
export type { Xmpp } from './http/xmpp.ts';
export type * from './http/accountTypes.ts';
export type * from './http/phoneTypes.ts';
export type * from './http/roomTypes.ts';
export type * from './http/streamTypes.ts';
export type {
  AnyReason,
  ErrorCode,
  ErrorDetail,
  JsonValue,
  Page,
  PageQuery,
  Reason,
  SendDataOptions,
  ServerStatus,
  Address,
  EvmAddress,
  Gate,
  GateConfig,
  GateType,
  GuestId,
  AccountHost,
  PartyId,
} from './types.ts';
