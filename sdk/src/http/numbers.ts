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

/** The account's phone numbers, which are paid by the month, with their texts and webhooks: `client.numbers`. */
export class Numbers {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Lists numbers that can be bought in a country. Needs the scope numbers:read.
   * @param query.country two capital letters, for example `US`
   * @param query.type `local`, `mobile` or `toll_free`. @default all
   * @param query.areaCode the first one to six digits after the country code. @default any
   * @throws ParleyError MISSING_SCOPE, VALIDATION_ERROR (`unsupported_country`)
   */
  available(query: AvailableQuery): Promise<Page<AvailableNumber>> {
    return this.#http.get<AnswerOf<typeof wire.availableNumbers>>('/numbers/available', query);
  }

  /**
   * Buys a number. If the status of the order is `pending`, read the outcome later with status(). Needs the scope numbers:buy.
   * @param number.country two capital letters, for example `US`
   * @param number.phoneNumber a number from available(). @default any number that fits the other fields
   * @param number.type `local`, `mobile` or `toll_free`. @default the usual type of the country
   * @param number.areaCode the first one to six digits after the country code. @default any
   * @param number.capabilities what the number must support: `sms`, `mms`, `voice`. @default only `sms`
   * @param number.autoRenew whether the number is renewed automatically before it expires. @default false
   * @throws ParleyError MISSING_SCOPE, CONFLICT (`number_unavailable`), VALIDATION_ERROR (`unsupported_country`,
   * `regulatory_requirements`), INSUFFICIENT_BALANCE
   */
  buy(number: NewNumber, { idempotencyKey }: SpendOptions = {}): Promise<NumberOrder> {
    return this.#http.once<WireOrder>('/numbers/buy', number, idempotencyKey);
  }

  /** Buys a number in the United States. Needs the same scope as buy(). @throws ParleyError the errors of buy() */
  buyUs(number: NewUsNumber = {}, { idempotencyKey }: SpendOptions = {}): Promise<NumberOrder> {
    return this.#http.once<WireOrder>('/numbers/buy/us', number, idempotencyKey);
  }

  /** Buys a number in any country except the United States. Needs the same scope as buy(). @throws ParleyError the errors of buy() */
  buyIntl(number: NewForeignNumber, { idempotencyKey }: SpendOptions = {}): Promise<NumberOrder> {
    return this.#http.once<WireOrder>('/numbers/buy/intl', number, idempotencyKey);
  }

  /** Reads the status of an order. Needs the scope numbers:read. @throws ParleyError MISSING_SCOPE, NOT_FOUND */
  status(orderId: string): Promise<NumberOrderStatus> {
    return this.#http.get<AnswerOf<typeof wire.orderStatus>>('/numbers/buy/status', { orderId });
  }

  /** Lists the account's numbers, latest first. Needs the scope numbers:read. @throws ParleyError MISSING_SCOPE */
  mine(query?: NumberQuery): Promise<Page<PhoneNumber>> {
    return this.#http.get<WirePage<WireNumber>>('/numbers/mine', query);
  }

  /** Lists the texts from and to the account's numbers, latest first. Needs the scope numbers:read. @throws ParleyError MISSING_SCOPE */
  messages(query?: NumberMessagesQuery): Promise<Page<TextMessage>> {
    return this.#http.get<WirePage<AnswerOf<typeof sms.message>>>('/numbers/mine/messages', query);
  }

  /**
   * Sends a text from one of the account's numbers. Needs the scope sms:send.
   * @param message.to the recipient, in E.164
   * @param message.message the text, 1 to 1,600 characters
   * @param message.from one of the account's numbers. @default the account's only active number
   * @throws ParleyError MISSING_SCOPE, NOT_FOUND (`from` is not one of the account's numbers), CONFLICT (`number_not_active`),
   * VALIDATION_ERROR (for example `from_required`: the account does not have exactly one active number), INSUFFICIENT_BALANCE
   */
  send(message: NewNumberMessage, { idempotencyKey }: SpendOptions = {}): Promise<SentText> {
    return this.#http.once<AnswerOf<typeof sms.sentMessage>>('/numbers/mine/send', message, idempotencyKey);
  }

  /**
   * Extends the paid period of a number. Needs the scope numbers:buy.
   * @param renewal the number, by `numberId` or `phoneNumber`
   * @param renewal.months months to add, 1 to 12. @default 1
   * @throws ParleyError MISSING_SCOPE, NOT_FOUND, CONFLICT (`number_released`, `number_not_active`), INSUFFICIENT_BALANCE
   */
  renew(renewal: NumberRenewal, { idempotencyKey }: SpendOptions = {}): Promise<RenewedNumber> {
    return this.#http.once<AnswerOf<typeof wire.renewedNumber>>(
      '/numbers/mine/renew',
      renewal,
      idempotencyKey,
    );
  }

  /**
   * Switches the automatic renewal of a number on or off. Needs the scope numbers:buy.
   * @param id the id of the number
   * @throws ParleyError MISSING_SCOPE, NOT_FOUND, CONFLICT (`number_released`, `number_not_active`)
   */
  setAutoRenew(id: string, autoRenew: boolean): Promise<PhoneNumber> {
    return this.#http.request<WireNumber>('PATCH', `/numbers/mine/${encodeURIComponent(id)}`, { autoRenew });
  }

  /**
   * Gives a number back, permanently. The rest of its paid period is not refunded. Needs the scope numbers:buy.
   * @throws ParleyError MISSING_SCOPE, NOT_FOUND, CONFLICT (`number_released`, `number_not_active`)
   */
  release(numberId: string): Promise<PhoneNumber> {
    return this.#http.request<WireNumber>('POST', '/numbers/mine/release', { numberId });
  }

  /**
   * Sets or removes the webhook of a number. Store the secret for verifyWebhook(): it is returned only when it is new. Needs the scope
   * numbers:read.
   * @param webhook the number, by `numberId` or `phoneNumber`, and the fields below
   * @param webhook.url the URL to which events are posted; null removes the webhook
   * @param webhook.events the event types to post. @default all
   * @param webhook.rotateSecret true creates a new secret; for one more day, the old one signs too. @default false
   * @throws ParleyError MISSING_SCOPE, NOT_FOUND, VALIDATION_ERROR, CONFLICT (`number_released`)
   */
  setWebhook(webhook: NewWebhook): Promise<Webhook> {
    return this.#http.request<AnswerOf<typeof webhooks.webhook>>('PUT', '/numbers/mine/webhook', webhook);
  }

  /** Reads the webhook of a number, without its secret. Needs the scope numbers:read. @throws ParleyError MISSING_SCOPE, NOT_FOUND */
  webhook(which: WhichNumber): Promise<WebhookState> {
    return this.#http.get<AnswerOf<typeof webhooks.webhookState>>('/numbers/mine/webhook', which);
  }

  /**
   * Sends a test event to the webhook of a number. Read the outcome with webhookDeliveries(). Needs the scope numbers:read.
   * @throws ParleyError MISSING_SCOPE, NOT_FOUND, CONFLICT (the webhook is disabled)
   */
  testWebhook(which: WhichNumber): Promise<WebhookDelivery> {
    return this.#http.request<webhooks.WireWebhookDelivery>('POST', '/numbers/mine/webhook/test', which);
  }

  /** Lists the webhook deliveries of one number or of all, latest first. Needs the scope numbers:read. @throws ParleyError MISSING_SCOPE */
  webhookDeliveries(query?: WebhookDeliveryQuery): Promise<Page<WebhookDelivery>> {
    return this.#http.get<WirePage<webhooks.WireWebhookDelivery>>('/numbers/mine/webhook/deliveries', query);
  }
}
