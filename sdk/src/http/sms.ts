import type { AnswerOf, Page as WirePage } from '../../protocol/http.ts';
import type * as wire from '../../protocol/sms.ts';
import type { HttpClient } from './HttpClient.ts';
import type { InboxQuery, NewText, QueuedText, SpendOptions, TextMessage, TextRate } from './phoneTypes.ts';
import type { Page } from '../types.ts';

type WireMessage = AnswerOf<typeof wire.message>;

/** Texts from the server's shared pool of numbers: `client.sms`. A recipient's replies go to the account that has texted them. */
export class Sms {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Queues a text to be sent from the pool. The price is per segment: see segmentsOf(). Needs the scope sms:send.
   * @param text.to the recipient, in E.164
   * @param text.message the text, 1 to 1,600 characters
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the queued text, with its cost
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: the server sends no texts to this country (`unsupported_destination`), or the recipient has opted
   * out (`recipient_opted_out`)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the pool has no number for this recipient (`no_pool_number`)
   * @example const { id } = await client.sms.send({ to: '+12025550100', message: 'Your table is ready.' });
   */
  send(text: NewText, { idempotencyKey }: SpendOptions = {}): Promise<QueuedText> {
    return this.#http.once<AnswerOf<typeof wire.queuedSms>>('/sms/send', text, idempotencyKey);
  }

  /**
   * Reads the price per segment of a text to a number, and whether the server sends texts to it. Needs the scope sms:send.
   * @param to the number, in E.164
   * @returns the price in credits
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: `to` is not a phone number in E.164
   */
  rate(to: string): Promise<TextRate> {
    return this.#http.get<AnswerOf<typeof wire.textRate>>('/sms/rate', { to });
  }

  /**
   * Lists received texts, latest first: replies to the pool, and texts to the account's numbers. Needs the scope numbers:read.
   * @param query the texts to list. Default: the latest 50
   * @returns one page of texts
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   */
  inbox(query?: InboxQuery): Promise<Page<TextMessage>> {
    return this.#http.get<WirePage<WireMessage>>('/sms/inbox', query);
  }

  /**
   * Reads a text and its delivery status. Needs the scope numbers:read.
   * @param id the id of the text
   * @returns the text
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such text
   */
  get(id: string): Promise<TextMessage> {
    return this.#http.get<WireMessage>(`/sms/${encodeURIComponent(id)}`);
  }
}
