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

/* The phone side, derived from the schemas its routes have. Numbers are E.164 with their plus sign, credits cents of a US dollar. */

/** For who wants to be able to ask again later, in another process: the same key and body run once in 24 hours. */
export interface SpendOptions {
  idempotencyKey?: string;
}

export type NewText = BodyOf<typeof sms.sendSms>;
/** What a text to a number costs, and whether the server sends any there. */
export type TextRate = FromWire<AnswerOf<typeof sms.textRate>>;
/** A text that waits to go out. */
export type QueuedText = FromWire<AnswerOf<typeof sms.queuedSms>>;
/** A text that was sent or came in. */
export type TextMessage = FromWire<AnswerOf<typeof sms.message>>;
/** It, and what is left of the credits. */
export type SentText = FromWire<AnswerOf<typeof sms.sentMessage>>;
export type InboxQuery = QueryOf<typeof sms.inboxQuery>;

/** Its `from` is a number of yours, or left out: then one of the pool. */
export type NewThreadMessage = BodyOf<typeof messaging.sendMessage>;
/** What was written between one of your numbers, or the pool's, and another. */
export type MessageThread = FromWire<AnswerOf<typeof messaging.thread>>;
/** A thread with one page of its messages, the latest first. */
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
/** One of your numbers, by its id or itself. */
export type WhichNumber = BodyOf<typeof webhooks.webhookQuery>;

export type NewWebhook = BodyOf<typeof webhooks.setWebhook>;
/** Its `secret` is there when it is new, and never again. */
export type Webhook = FromWire<AnswerOf<typeof webhooks.webhook>>;
export type WebhookState = FromWire<AnswerOf<typeof webhooks.webhookState>>;
/** What is posted to a webhook: `type` says what `data` is. */
export type WebhookEvent = FromWire<webhooks.WireWebhookEvent>;
/** An event on its way to a webhook, or what became of it. */
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
/** Its `password` is shown this once. */
export type XmppAccount = FromWire<AnswerOf<typeof xmpp.provisionedXmpp>>;
