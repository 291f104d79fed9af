import type { FromWire } from '../../protocol/common.ts';
import type * as esim from '../../protocol/esim.ts';
import type { AnswerOf, BodyOf, QueryOf } from '../../protocol/http.ts';
import type * as leaksearch from '../../protocol/leaksearch.ts';
import type * as lookup from '../../protocol/lookup.ts';
import type * as messaging from '../../protocol/messaging.ts';
import type * as numbers from '../../protocol/numbers.ts';
import type * as sms from '../../protocol/sms.ts';
import type * as verifications from '../../protocol/verifications.ts';
import type * as webhooks from '../../protocol/webhooks.ts';
import type * as xmpp from '../../protocol/xmpp.ts';

/* The types of telephony, derived from the routes' schemas. Phone numbers are in E.164 with a plus sign; one credit is one US cent. */

/** The options of requests that cost credits. */
export interface SpendOptions {
  /**
   * A key from newIdempotencyKey(). Within 24 hours, requests with the same key and body run only once, even if they come from different
   * processes. @default a new key
   */
  idempotencyKey?: string;
}

export type NewText = BodyOf<typeof sms.sendSms>;
/** The price per segment of a text to a number, and whether the server sends texts to it. */
export type TextRate = FromWire<AnswerOf<typeof sms.textRate>>;
/** A queued text. */
export type QueuedText = FromWire<AnswerOf<typeof sms.queuedSms>>;
/** A sent or received text. */
export type TextMessage = FromWire<AnswerOf<typeof sms.message>>;
/** A sent text, with the credits left in `balance`. */
export type SentText = FromWire<AnswerOf<typeof sms.sentMessage>>;
export type InboxQuery = QueryOf<typeof sms.inboxQuery>;

/** A text to send. `from` is one of the account's numbers. If it is left out, a number of the pool is used. */
export type NewThreadMessage = BodyOf<typeof messaging.sendMessage>;
/** The texts between one of the account's numbers, or the pool, and another number. */
export type MessageThread = FromWire<AnswerOf<typeof messaging.thread>>;
/** A thread with one page of its texts, latest first. */
export type MessageThreadPage = FromWire<AnswerOf<typeof messaging.conversation>>;
export type ThreadQuery = QueryOf<typeof messaging.threadsQuery>;

export type PhoneNumber = FromWire<AnswerOf<typeof numbers.ownNumber>>;
export type NumberQuery = QueryOf<typeof numbers.ownNumbersQuery>;
export type AvailableNumber = FromWire<AnswerOf<typeof numbers.availableNumbers>>['data'][number];
export type AvailableQuery = QueryOf<typeof numbers.availableQuery>;
export type NewNumber = BodyOf<typeof numbers.buyNumber>;
export type NewUsNumber = BodyOf<typeof numbers.buyUsNumber>;
export type NewForeignNumber = BodyOf<typeof numbers.buyForeignNumber>;
export type NumberOrder = FromWire<AnswerOf<typeof numbers.numberOrder>>;
export type NumberOrderStatus = FromWire<AnswerOf<typeof numbers.orderStatus>>;
export type NumberMessagesQuery = QueryOf<typeof numbers.ownMessagesQuery>;
export type NewNumberMessage = BodyOf<typeof numbers.sendFromOwn>;
export type NumberRenewal = BodyOf<typeof numbers.renewNumber>;
export type RenewedNumber = FromWire<AnswerOf<typeof numbers.renewedNumber>>;
/** Names one of the account's numbers, by `numberId` or `phoneNumber`. */
export type WhichNumber = BodyOf<typeof webhooks.webhookQuery>;

export type NewWebhook = BodyOf<typeof webhooks.setWebhook>;
/** A webhook. It contains its `secret` only when that is new. */
export type Webhook = FromWire<AnswerOf<typeof webhooks.webhook>>;
export type WebhookState = FromWire<AnswerOf<typeof webhooks.webhookState>>;
/** The body of a webhook request. `type` determines the type of `data`. */
export type WebhookEvent = FromWire<webhooks.WireWebhookEvent>;
/** An event for a webhook, with the state of its delivery. */
export type WebhookDelivery = FromWire<AnswerOf<typeof webhooks.webhookDelivery>>;
export type WebhookDeliveryQuery = QueryOf<typeof webhooks.deliveriesQuery>;

export type LookupQuestion = BodyOf<typeof lookup.lookUp>;
export type LookupAnswer = FromWire<AnswerOf<typeof lookup.lookedUp>>;

export type LeakQuestion = BodyOf<typeof leaksearch.searchLeaks>;
export type FoundLeaks = FromWire<AnswerOf<typeof leaksearch.foundLeaks>>;
export type BoughtLeaks = FromWire<AnswerOf<typeof leaksearch.boughtLeaks>>;

export type EsimPackage = FromWire<AnswerOf<typeof esim.esimPackage>>;
export type EsimPackageQuery = QueryOf<typeof esim.esimPackagesQuery>;
export type EsimCheckout = BodyOf<typeof esim.checkOutEsim>;
export type EsimPurchase = FromWire<AnswerOf<typeof esim.esimCheckout>>;
export type EsimOrder = FromWire<AnswerOf<typeof esim.esimOrder>>;
export type EsimOrdersQuery = QueryOf<typeof esim.esimOrdersQuery>;

export type NewVerification = BodyOf<typeof verifications.startVerification>;
export type StartedVerification = FromWire<AnswerOf<typeof verifications.startedVerification>>;
export type VerificationGuess = BodyOf<typeof verifications.checkVerification>;
export type CheckedVerification = FromWire<AnswerOf<typeof verifications.checkedVerification>>;

export type NewXmppAccount = BodyOf<typeof xmpp.provisionXmpp>;
/** A new XMPP account. `password` is shown only once. */
export type XmppAccount = FromWire<AnswerOf<typeof xmpp.provisionedXmpp>>;
