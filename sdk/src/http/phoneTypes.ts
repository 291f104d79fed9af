import type { WireAccountEvent } from '../../protocol/accountEvent.ts';
import type { FromWire } from '../../protocol/common.ts';
import type * as esim from '../../protocol/esim.ts';
import type { AnswerOf, BodyOf, QueryOf } from '../../protocol/http.ts';
import type * as leaksearch from '../../protocol/leaksearch.ts';
import type * as lookup from '../../protocol/lookup.ts';
import type * as messaging from '../../protocol/messaging.ts';
import type * as numbers from '../../protocol/numbers.ts';
import type * as sms from '../../protocol/sms.ts';
import type * as verifications from '../../protocol/verifications.ts';
import type * as data from '../../protocol/webhookData.ts';
import type * as endpoints from '../../protocol/webhookEndpoints.ts';
import type * as webhooks from '../../protocol/webhooks.ts';
import type * as xmpp from '../../protocol/xmpp.ts';

/* The types of telephony, derived from the routes' schemas. Phone numbers are in E.164 with a plus sign; one credit is one US cent. */

/** The options of requests that cost credits. */
export interface SpendOptions {
  /**
   * A key from newIdempotencyKey(). Within 24 hours, requests with the same key and body run only once, even if they come from different
   * processes. With another body, the request fails with VALIDATION_ERROR (`idempotency_key_reused`). @default a new key
   */
  idempotencyKey?: string;
}

/** A text to send from the pool. */
export type NewText = BodyOf<typeof sms.sendSms>;
/** The price per segment of a text to a number, and whether the server sends texts to it. */
export type TextRate = FromWire<AnswerOf<typeof sms.textRate>>;
/** A queued text. */
export type QueuedText = FromWire<AnswerOf<typeof sms.queuedSms>>;
/** A sent or received text. */
export type TextMessage = FromWire<AnswerOf<typeof sms.message>>;
/** A sent text, with the credits left in `balance`. */
export type SentText = FromWire<AnswerOf<typeof sms.sentMessage>>;
/** Selects received texts. */
export type InboxQuery = QueryOf<typeof sms.inboxQuery>;

/** A text to send. `from` is one of the account's numbers. If it is left out, a number of the pool is used. */
export type NewThreadMessage = BodyOf<typeof messaging.sendMessage>;
/** The texts between one of the account's numbers, or the pool, and another number. */
export type MessageThread = FromWire<AnswerOf<typeof messaging.thread>>;
/** A thread with one page of its texts, latest first. */
export type MessageThreadPage = FromWire<AnswerOf<typeof messaging.conversation>>;
/** Selects threads. */
export type ThreadQuery = QueryOf<typeof messaging.threadsQuery>;

/** One of the account’s numbers. */
export type PhoneNumber = FromWire<AnswerOf<typeof numbers.ownNumber>>;
/** Selects numbers of the account. */
export type NumberQuery = QueryOf<typeof numbers.ownNumbersQuery>;
/** A number that can be bought. */
export type AvailableNumber = FromWire<AnswerOf<typeof numbers.availableNumbers>>['data'][number];
/** Selects numbers that can be bought. */
export type AvailableQuery = QueryOf<typeof numbers.availableQuery>;
/** The number to buy. */
export type NewNumber = BodyOf<typeof numbers.buyNumber>;
/** The number to buy in the United States. */
export type NewUsNumber = BodyOf<typeof numbers.buyUsNumber>;
/** The number to buy in another country. */
export type NewForeignNumber = BodyOf<typeof numbers.buyForeignNumber>;
/** The order of a number. */
export type NumberOrder = FromWire<AnswerOf<typeof numbers.numberOrder>>;
/** The state of an order. */
export type NumberOrderStatus = FromWire<AnswerOf<typeof numbers.orderStatus>>;
/** Selects texts from and to the account’s numbers. */
export type NumberMessagesQuery = QueryOf<typeof numbers.ownMessagesQuery>;
/** A text to send from a number of the account. */
export type NewNumberMessage = BodyOf<typeof numbers.sendFromOwn>;
/** The number to renew, and for how long. */
export type NumberRenewal = BodyOf<typeof numbers.renewNumber>;
/** A renewed number, and what it cost. */
export type RenewedNumber = FromWire<AnswerOf<typeof numbers.renewedNumber>>;
/** Names one of the account's numbers, by `numberId` or `phoneNumber`. */
export type WhichNumber = BodyOf<typeof webhooks.webhookQuery>;

/** The webhook to set or remove. */
export type NewWebhook = BodyOf<typeof webhooks.setWebhook>;
/** A webhook. It contains its `secret` only when that is new. */
export type Webhook = FromWire<AnswerOf<typeof webhooks.webhook>>;
/** A webhook without its secret, and its state. */
export type WebhookState = FromWire<AnswerOf<typeof webhooks.webhookState>>;
/** The endpoint to create. */
export type NewEndpoint = BodyOf<typeof endpoints.createEndpoint>;
/** What to change of an endpoint. */
export type EndpointChange = BodyOf<typeof endpoints.updateEndpoint>;
/** A webhook endpoint of the account. It contains its `secret` only when that is new. */
export type WebhookEndpoint = FromWire<AnswerOf<typeof endpoints.webhookEndpoint>>;
/** An event for an endpoint, with the state of its delivery. */
export type EndpointDelivery = FromWire<AnswerOf<typeof endpoints.endpointDelivery>>;
/** Selects the deliveries to an endpoint. */
export type EndpointDeliveryQuery = QueryOf<typeof endpoints.endpointDeliveriesQuery>;
/** Selects events of the account. */
export type AccountEventQuery = QueryOf<typeof endpoints.eventsQuery>;
/** A room in the data of an event. */
export type EventRoom = FromWire<AnswerOf<typeof data.eventRoom>>;
/** A participant in the data of an event. */
export type EventParticipant = FromWire<AnswerOf<typeof data.backendParticipant>>;
/** A stream in the data of an event. */
export type EventStream = FromWire<AnswerOf<typeof data.eventStream>>;
/** A recording in the data of an event. */
export type EventRecording = FromWire<AnswerOf<typeof data.eventRecording>>;
/** A call in the data of an event. */
export type EventCall = FromWire<AnswerOf<typeof data.eventCall>>;
/** An event of the account. `type` determines the type of `data`. */
export type AccountEvent = FromWire<WireAccountEvent>;
/** One page of the events of the account. `nextAfter` is the `after` of the next page, also later, when there are new events. */
export type AccountEventPage = FromWire<AnswerOf<typeof endpoints.accountEvents>>;
/** The body of a webhook request. `type` determines the type of `data`. */
export type WebhookEvent = FromWire<webhooks.WireWebhookEvent>;
/** An event for a webhook, with the state of its delivery. */
export type WebhookDelivery = FromWire<AnswerOf<typeof webhooks.webhookDelivery>>;
/** Selects webhook deliveries. */
export type WebhookDeliveryQuery = QueryOf<typeof webhooks.deliveriesQuery>;

/** The number to look up. */
export type LookupQuestion = BodyOf<typeof lookup.lookUp>;
/** What is known about a number. */
export type LookupAnswer = FromWire<AnswerOf<typeof lookup.lookedUp>>;

/** What to search the breaches for. */
export type LeakQuestion = BodyOf<typeof leaksearch.searchLeaks>;
/** The breaches that contain the query. */
export type FoundLeaks = FromWire<AnswerOf<typeof leaksearch.foundLeaks>>;
/** The breaches that contain the query, and what the search cost. */
export type BoughtLeaks = FromWire<AnswerOf<typeof leaksearch.boughtLeaks>>;

/** A package of mobile data. */
export type EsimPackage = FromWire<AnswerOf<typeof esim.esimPackage>>;
/** Selects packages. */
export type EsimPackageQuery = QueryOf<typeof esim.esimPackagesQuery>;
/** The package to buy. */
export type EsimCheckout = BodyOf<typeof esim.checkOutEsim>;
/** A purchase of eSIMs, or its price. */
export type EsimPurchase = FromWire<AnswerOf<typeof esim.esimCheckout>>;
/** An order of eSIMs. */
export type EsimOrder = FromWire<AnswerOf<typeof esim.esimOrder>>;
/** Selects orders. */
export type EsimOrdersQuery = QueryOf<typeof esim.esimOrdersQuery>;

/** Where to send a code, and how. */
export type NewVerification = BodyOf<typeof verifications.startVerification>;
/** A verification whose code has been sent. */
export type StartedVerification = FromWire<AnswerOf<typeof verifications.startedVerification>>;
/** The code that the user has entered. */
export type VerificationGuess = BodyOf<typeof verifications.checkVerification>;
/** Whether the code was correct. */
export type CheckedVerification = FromWire<AnswerOf<typeof verifications.checkedVerification>>;

/** The XMPP account to create. */
export type NewXmppAccount = BodyOf<typeof xmpp.provisionXmpp>;
/** A new XMPP account. `password` is shown only once. */
export type XmppAccount = FromWire<AnswerOf<typeof xmpp.provisionedXmpp>>;
