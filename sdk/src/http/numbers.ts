import type { AnswerOf, Page as WirePage } from '../../protocol/http.ts';
import type * as wire from '../../protocol/numbers.ts';
import type * as sms from '../../protocol/sms.ts';
import type * as webhooks from '../../protocol/webhooks.ts';
import type { HttpClient } from './HttpClient.ts';
import type {
  AvailableNumber,
  AvailableQuery,
  NewForeignNumber,
  NewNumber,
  NewNumberMessage,
  NewUsNumber,
  NewWebhook,
  NumberMessagesQuery,
  NumberOrder,
  NumberOrderStatus,
  NumberQuery,
  NumberRenewal,
  PhoneNumber,
  RenewedNumber,
  SentText,
  SpendOptions,
  TextMessage,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryQuery,
  WebhookState,
  WhichNumber,
} from './phoneTypes.ts';
import type { Page } from '../types.ts';

type WireNumber = AnswerOf<typeof wire.ownNumber>;
type WireOrder = AnswerOf<typeof wire.numberOrder>;

/** Phone numbers of the account, bought by the month, with their texts and webhooks: `client.numbers`. */
export class Numbers {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Lists numbers that can be bought in a country. Needs the scope numbers:read.
   * @param query.country two capital letters, for example `US`
   * @param query.type `local`, `mobile` or `toll_free`. @default all
   * @param query.areaCode the digits after the country code
   * @throws ParleyError MISSING_SCOPE, VALIDATION_ERROR (`unsupported_country`)
   */
  available(query: AvailableQuery): Promise<Page<AvailableNumber>> {
    return this.#http.get<AnswerOf<typeof wire.availableNumbers>>('/numbers/available', query);
  }

  /**
   * Buys a number. If the order is `pending`, read the outcome with status(). Needs the scope numbers:buy.
   * @param number.country two capital letters
   * @param number.phoneNumber a number of available(). @default any number that fits the other fields
   * @param number.autoRenew whether the number is renewed automatically when it expires
   * @throws ParleyError MISSING_SCOPE, CONFLICT (`number_unavailable`), VALIDATION_ERROR (`unsupported_country`,
   * `regulatory_requirements`), INSUFFICIENT_BALANCE
   */
  buy(number: NewNumber, { idempotencyKey }: SpendOptions = {}): Promise<NumberOrder> {
    return this.#http.once<WireOrder>('/numbers/buy', number, idempotencyKey);
  }

  /** Buys a number in the United States. Scope and errors as in buy(). */
  buyUs(number: NewUsNumber = {}, { idempotencyKey }: SpendOptions = {}): Promise<NumberOrder> {
    return this.#http.once<WireOrder>('/numbers/buy/us', number, idempotencyKey);
  }

  /** Buys a number in another country than the United States. Scope and errors as in buy(). */
  buyIntl(number: NewForeignNumber, { idempotencyKey }: SpendOptions = {}): Promise<NumberOrder> {
    return this.#http.once<WireOrder>('/numbers/buy/intl', number, idempotencyKey);
  }

  /** Reads the status of an order. @throws ParleyError MISSING_SCOPE, NOT_FOUND */
  status(orderId: string): Promise<NumberOrderStatus> {
    return this.#http.get<AnswerOf<typeof wire.orderStatus>>('/numbers/buy/status', { orderId });
  }

  /** Lists your numbers, latest first. Needs the scope numbers:read. @throws ParleyError MISSING_SCOPE */
  mine(query?: NumberQuery): Promise<Page<PhoneNumber>> {
    return this.#http.get<WirePage<WireNumber>>('/numbers/mine', query);
  }

  /** Lists the texts from and to your numbers, latest first. Needs the scope numbers:read. @throws ParleyError MISSING_SCOPE */
  messages(query?: NumberMessagesQuery): Promise<Page<TextMessage>> {
    return this.#http.get<WirePage<AnswerOf<typeof sms.message>>>('/numbers/mine/messages', query);
  }

  /**
   * Sends a text from one of your numbers. Needs the scope sms:send.
   * @param message.from one of your numbers. @default your only active number
   * @throws ParleyError MISSING_SCOPE, NOT_FOUND (`from` is not your number), VALIDATION_ERROR, INSUFFICIENT_BALANCE
   */
  send(message: NewNumberMessage, { idempotencyKey }: SpendOptions = {}): Promise<SentText> {
    return this.#http.once<AnswerOf<typeof sms.sentMessage>>('/numbers/mine/send', message, idempotencyKey);
  }

  /**
   * Renews a number from its expiry on. Needs the scope numbers:buy.
   * @param renewal.months 1 to 12. @default 1
   * @throws ParleyError MISSING_SCOPE, NOT_FOUND, INSUFFICIENT_BALANCE
   */
  renew(renewal: NumberRenewal, { idempotencyKey }: SpendOptions = {}): Promise<RenewedNumber> {
    return this.#http.once<AnswerOf<typeof wire.renewedNumber>>(
      '/numbers/mine/renew',
      renewal,
      idempotencyKey,
    );
  }

  /** Switches automatic renewal on or off. Needs the scope numbers:buy. @throws ParleyError MISSING_SCOPE, NOT_FOUND */
  setAutoRenew(id: string, autoRenew: boolean): Promise<PhoneNumber> {
    return this.#http.request<WireNumber>('PATCH', `/numbers/mine/${encodeURIComponent(id)}`, { autoRenew });
  }

  /** Gives a number back, permanently. Needs the scope numbers:buy. @throws ParleyError MISSING_SCOPE, NOT_FOUND */
  release(numberId: string): Promise<PhoneNumber> {
    return this.#http.request<WireNumber>('POST', '/numbers/mine/release', { numberId });
  }

  /**
   * Sets or removes the webhook of a number. Store the secret for verifyWebhook(): it is shown only when it is new.
   * @param webhook.url the URL that gets the events; null removes the webhook
   * @param webhook.events the event types. @default all
   * @param webhook.rotateSecret creates a new secret; the former one also signs for one more day. @default false
   * @throws ParleyError MISSING_SCOPE, NOT_FOUND, VALIDATION_ERROR
   */
  setWebhook(webhook: NewWebhook): Promise<Webhook> {
    return this.#http.request<AnswerOf<typeof webhooks.webhook>>('PUT', '/numbers/mine/webhook', webhook);
  }

  /** Reads the webhook of a number, without its secret. @throws ParleyError MISSING_SCOPE, NOT_FOUND */
  webhook(which: WhichNumber): Promise<WebhookState> {
    return this.#http.get<AnswerOf<typeof webhooks.webhookState>>('/numbers/mine/webhook', which);
  }

  /** Sends a test event to the webhook. Read the result with webhookDeliveries(). @throws ParleyError MISSING_SCOPE, NOT_FOUND */
  testWebhook(which: WhichNumber): Promise<WebhookDelivery> {
    return this.#http.request<webhooks.WireWebhookDelivery>('POST', '/numbers/mine/webhook/test', which);
  }

  /** Lists the webhook deliveries of one number or of all, latest first. @throws ParleyError MISSING_SCOPE */
  webhookDeliveries(query?: WebhookDeliveryQuery): Promise<Page<WebhookDelivery>> {
    return this.#http.get<WirePage<webhooks.WireWebhookDelivery>>('/numbers/mine/webhook/deliveries', query);
  }
}
