import type { AnswerOf, Page as WirePage } from '../../protocol/http.ts';
import type * as wire from '../../protocol/numbers.ts';
import type * as sms from '../../protocol/sms.ts';
import type * as webhooks from '../../protocol/webhooks.ts';
import type { HttpClient } from './HttpClient.ts';
import { newIdempotencyKey } from './newIdempotencyKey.ts';
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
   * @param query.type `local`, `mobile` or `toll_free`. Default: all
   * @param query.areaCode the first one to six digits after the country code. Default: any
   * @returns the numbers, as one page
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: no such numbers are sold in this country (`unsupported_country`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server sells no numbers, or its carrier does not answer (`upstream_error`)
   */
  available(query: AvailableQuery): Promise<Page<AvailableNumber>> {
    return this.#http.get<AnswerOf<typeof wire.availableNumbers>>('/numbers/available', query);
  }

  /**
   * Buys a number. If the status of the order is `pending`, read the outcome later with status(). Needs the scope numbers:buy.
   * @param number.country two capital letters, for example `US`
   * @param number.phoneNumber a number from available(). Default: any number that fits the other fields
   * @param number.type `local`, `mobile` or `toll_free`. Default: the usual type of the country
   * @param number.areaCode the first one to six digits after the country code. Default: any
   * @param number.capabilities what the number must support: `sms`, `mms`, `voice`. Default: only `sms`
   * @param number.autoRenew whether the number is renewed automatically before it expires. Default: false
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the order, with its cost
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError CONFLICT: the number, or any that fits, is not for sale (`number_unavailable`)
   * @throws ParleyError VALIDATION_ERROR: no such numbers are sold in this country (`unsupported_country`), or it requires documents
   * (`regulatory_requirements`: then `extra.requirements` lists them)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server sells no numbers, or its carrier does not answer (`upstream_error`)
   */
  buy(number: NewNumber, { idempotencyKey }: SpendOptions = {}): Promise<NumberOrder> {
    return this.#http.once<WireOrder>('/numbers/buy', number, idempotencyKey);
  }

  /**
   * Buys a number in the United States. Needs the same scope as buy().
   * @param number which number: `phoneNumber`, `areaCode`, `type` (`local` or `toll_free`) and `autoRenew`, as for buy(). Default: any
   * local number
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the order, with its cost
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError CONFLICT: the number, or any that fits, is not for sale (`number_unavailable`)
   * @throws ParleyError VALIDATION_ERROR: no such numbers are sold in this country (`unsupported_country`), or it requires documents
   * (`regulatory_requirements`: then `extra.requirements` lists them)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server sells no numbers, or its carrier does not answer (`upstream_error`)
   */
  buyUs(number: NewUsNumber = {}, { idempotencyKey }: SpendOptions = {}): Promise<NumberOrder> {
    return this.#http.once<WireOrder>('/numbers/buy/us', number, idempotencyKey);
  }

  /**
   * Buys a number in any country except the United States. Needs the same scope as buy().
   * @param number which number: `country`, `phoneNumber`, `type` and `autoRenew`, as for buy()
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the order, with its cost
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError CONFLICT: the number, or any that fits, is not for sale (`number_unavailable`)
   * @throws ParleyError VALIDATION_ERROR: no such numbers are sold in this country (`unsupported_country`), or it requires documents
   * (`regulatory_requirements`: then `extra.requirements` lists them), or it is the United States (`use_us_route`)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server sells no numbers, or its carrier does not answer (`upstream_error`)
   */
  buyIntl(number: NewForeignNumber, { idempotencyKey }: SpendOptions = {}): Promise<NumberOrder> {
    return this.#http.once<WireOrder>('/numbers/buy/intl', number, idempotencyKey);
  }

  /**
   * Reads the status of an order. Needs the scope numbers:read.
   * @param orderId the id of the order
   * @returns the order, with its number once it is completed
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such order
   */
  status(orderId: string): Promise<NumberOrderStatus> {
    return this.#http.get<AnswerOf<typeof wire.orderStatus>>('/numbers/buy/status', { orderId });
  }

  /**
   * Lists the account's numbers, latest first. Needs the scope numbers:read.
   * @param query the page to read. Default: the first 50
   * @returns one page of numbers
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   */
  mine(query?: NumberQuery): Promise<Page<PhoneNumber>> {
    return this.#http.get<WirePage<WireNumber>>('/numbers/mine', query);
  }

  /**
   * Lists the texts from and to the account's numbers, latest first. Needs the scope numbers:read.
   * @param query the texts to list. Default: the latest 50
   * @returns one page of texts
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has never had the `number`
   */
  messages(query?: NumberMessagesQuery): Promise<Page<TextMessage>> {
    return this.#http.get<WirePage<AnswerOf<typeof sms.message>>>('/numbers/mine/messages', query);
  }

  /**
   * Sends a text from one of the account's numbers. Needs the scope sms:send.
   * @param message.to the recipient, in E.164
   * @param message.message the text, 1 to 1,600 characters
   * @param message.from one of the account's numbers. Default: the account's only active number
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the text, with its cost
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: `from` is not one of the account's numbers
   * @throws ParleyError CONFLICT: the number is not active (`number_not_active`)
   * @throws ParleyError VALIDATION_ERROR: `from` is missing, and the account does not have exactly one active number (`from_required`), the
   * server sends no texts to this country (`unsupported_destination`), or the recipient has opted out (`recipient_opted_out`)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   */
  send(message: NewNumberMessage, { idempotencyKey }: SpendOptions = {}): Promise<SentText> {
    return this.#http.once<AnswerOf<typeof sms.sentMessage>>('/numbers/mine/send', message, idempotencyKey);
  }

  /**
   * Extends the paid period of a number. Needs the scope numbers:buy.
   * @param renewal the number, by `numberId` or `phoneNumber`
   * @param renewal.months months to add, 1 to 12. Default: 1
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the number with its new expiry, and the cost
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such number
   * @throws ParleyError CONFLICT: the number was released (`number_released`), or is still being bought or belongs to a carrier that the
   * server no longer uses (`number_not_active`)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
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
   * @param autoRenew whether the number is renewed before it expires
   * @returns the number
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such number
   * @throws ParleyError CONFLICT: the number was released (`number_released`), or is still being bought (`number_not_active`)
   */
  setAutoRenew(id: string, autoRenew: boolean): Promise<PhoneNumber> {
    return this.#http.request<WireNumber>('PATCH', `/numbers/mine/${encodeURIComponent(id)}`, { autoRenew });
  }

  /**
   * Gives a number back, permanently. The rest of its paid period is not refunded. Needs the scope numbers:buy.
   * @param numberId the id of the number
   * @returns the released number
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such number
   * @throws ParleyError CONFLICT: the number was released (`number_released`), or is still being bought (`number_not_active`)
   */
  release(numberId: string): Promise<PhoneNumber> {
    return this.#http.request<WireNumber>('POST', '/numbers/mine/release', { numberId });
  }

  /**
   * Sets or removes the webhook of a number. Store the secret for verifyWebhook(): it is returned only when it is new. Needs the scope
   * numbers:read.
   * @param webhook the number, by `numberId` or `phoneNumber`, and the fields below
   * @param webhook.url the URL to which events are posted; null removes the webhook
   * @param webhook.events the event types to post. Default: all
   * @param webhook.rotateSecret true creates a new secret; for one more day, the old one signs too. Default: false
   * @returns the webhook, with its `secret` if that is new
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such number
   * @throws ParleyError VALIDATION_ERROR: the URL is not valid (`invalid_url`), or not a public https address (`url_not_allowed`)
   * @throws ParleyError CONFLICT: the number was released (`number_released`)
   */
  setWebhook(webhook: NewWebhook): Promise<Webhook> {
    return this.#http.request<AnswerOf<typeof webhooks.webhook>>('PUT', '/numbers/mine/webhook', webhook, {
      idempotencyKey: newIdempotencyKey(),
    });
  }

  /**
   * Reads the webhook of a number, without its secret. Needs the scope numbers:read.
   * @param which the number, by `numberId` or `phoneNumber`
   * @returns the webhook and its state
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such number, or it has no webhook
   */
  webhook(which: WhichNumber): Promise<WebhookState> {
    return this.#http.get<AnswerOf<typeof webhooks.webhookState>>('/numbers/mine/webhook', which);
  }

  /**
   * Sends a test event to the webhook of a number. Read the outcome with webhookDeliveries(). Needs the scope numbers:read.
   * @param which the number, by `numberId` or `phoneNumber`
   * @returns the delivery of the test event
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such number, or it has no webhook
   * @throws ParleyError CONFLICT: the webhook is disabled, because it answered 410
   */
  testWebhook(which: WhichNumber): Promise<WebhookDelivery> {
    return this.#http.request<webhooks.WireWebhookDelivery>('POST', '/numbers/mine/webhook/test', which);
  }

  /**
   * Lists the webhook deliveries of one number or of all, latest first. Needs the scope numbers:read.
   * @param query the deliveries to list. Default: the latest 50
   * @returns one page of deliveries
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such number
   */
  webhookDeliveries(query?: WebhookDeliveryQuery): Promise<Page<WebhookDelivery>> {
    return this.#http.get<WirePage<webhooks.WireWebhookDelivery>>('/numbers/mine/webhook/deliveries', query);
  }
}
