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

/** Phone numbers of one's own: bought by the month, with their messages and webhooks. */
export class Numbers {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /** What can be bought in a country. Needs numbers:read. */
  available(query: AvailableQuery): Promise<Page<AvailableNumber>> {
    return this.#http.get<AnswerOf<typeof wire.availableNumbers>>('/numbers/available', query);
  }

  /**
   * Buys a number: this one, or any that fits. Where the order is still `pending`, status() tells what becomes of it. Needs numbers:buy.
   * @throws ParleyError CONFLICT (`number_unavailable`), VALIDATION_ERROR (`unsupported_country`, `regulatory_requirements`),
   *   INSUFFICIENT_BALANCE
   */
  buy(number: NewNumber, { idempotencyKey }: SpendOptions = {}): Promise<NumberOrder> {
    return this.#http.once<WireOrder>('/numbers/buy', number, idempotencyKey);
  }

  /** Buys a number of the United States. */
  buyUs(number: NewUsNumber = {}, { idempotencyKey }: SpendOptions = {}): Promise<NumberOrder> {
    return this.#http.once<WireOrder>('/numbers/buy/us', number, idempotencyKey);
  }

  /** Buys a number of any other country. */
  buyIntl(number: NewForeignNumber, { idempotencyKey }: SpendOptions = {}): Promise<NumberOrder> {
    return this.#http.once<WireOrder>('/numbers/buy/intl', number, idempotencyKey);
  }

  /** What became of an order. */
  status(orderId: string): Promise<NumberOrderStatus> {
    return this.#http.get<AnswerOf<typeof wire.orderStatus>>('/numbers/buy/status', { orderId });
  }

  /** Your numbers, the latest first. */
  mine(query?: NumberQuery): Promise<Page<PhoneNumber>> {
    return this.#http.get<WirePage<WireNumber>>('/numbers/mine', query);
  }

  /** What they wrote and were written, the latest first. */
  messages(query?: NumberMessagesQuery): Promise<Page<TextMessage>> {
    return this.#http.get<WirePage<AnswerOf<typeof sms.message>>>('/numbers/mine/messages', query);
  }

  /** Sends from one of them; `from` may be left out where there is one alone. Needs sms:send. */
  send(message: NewNumberMessage, { idempotencyKey }: SpendOptions = {}): Promise<SentText> {
    return this.#http.once<AnswerOf<typeof sms.sentMessage>>('/numbers/mine/send', message, idempotencyKey);
  }

  /** By one month, or up to twelve, from when it expires. Needs numbers:buy. */
  renew(renewal: NumberRenewal, { idempotencyKey }: SpendOptions = {}): Promise<RenewedNumber> {
    return this.#http.once<AnswerOf<typeof wire.renewedNumber>>(
      '/numbers/mine/renew',
      renewal,
      idempotencyKey,
    );
  }

  /** Whether it is renewed by itself when it expires. Needs numbers:buy. */
  setAutoRenew(id: string, autoRenew: boolean): Promise<PhoneNumber> {
    return this.#http.request<WireNumber>('PATCH', `/numbers/mine/${encodeURIComponent(id)}`, { autoRenew });
  }

  /** Gives it back, for good. Needs numbers:buy. */
  release(numberId: string): Promise<PhoneNumber> {
    return this.#http.request<WireNumber>('POST', '/numbers/mine/release', { numberId });
  }

  /** Says where its events go; `url: null`: nowhere. Keep the secret: it is shown when it is new. verifyWebhook() takes it. */
  setWebhook(webhook: NewWebhook): Promise<Webhook> {
    return this.#http.request<AnswerOf<typeof webhooks.webhook>>('PUT', '/numbers/mine/webhook', webhook);
  }

  webhook(which: WhichNumber): Promise<WebhookState> {
    return this.#http.get<AnswerOf<typeof webhooks.webhookState>>('/numbers/mine/webhook', which);
  }

  /** Posts an event to try it; webhookDeliveries() tells what came back. */
  testWebhook(which: WhichNumber): Promise<WebhookDelivery> {
    return this.#http.request<webhooks.WireWebhookDelivery>('POST', '/numbers/mine/webhook/test', which);
  }

  /** What was posted, and what became of it: of one number or of all, the latest first. */
  webhookDeliveries(query?: WebhookDeliveryQuery): Promise<Page<WebhookDelivery>> {
    return this.#http.get<WirePage<webhooks.WireWebhookDelivery>>('/numbers/mine/webhook/deliveries', query);
  }
}
