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
   * @throws ParleyError MISSING_SCOPE, VALIDATION_ERROR (`unsupported_destination`, `recipient_opted_out`), INSUFFICIENT_BALANCE,
   * SERVICE_UNAVAILABLE (`no_pool_number`)
   * @example const { id } = await client.sms.send({ to: '+12025550100', message: 'Your table is ready.' });
   */
  send(text: NewText, { idempotencyKey }: SpendOptions = {}): Promise<QueuedText> {
    return this.#http.once<AnswerOf<typeof wire.queuedSms>>('/sms/send', text, idempotencyKey);
  }

  /**
   * Reads the price per segment of a text to a number, and whether the server sends texts to it. Needs the scope sms:send.
   * @param to the number, in E.164
   * @throws ParleyError MISSING_SCOPE, VALIDATION_ERROR
   */
  rate(to: string): Promise<TextRate> {
    return this.#http.get<AnswerOf<typeof wire.textRate>>('/sms/rate', { to });
  }

  /**
   * Lists received texts, latest first: replies to the pool, and texts to the account's numbers. Needs the scope numbers:read.
   * @throws ParleyError MISSING_SCOPE
   */
  inbox(query?: InboxQuery): Promise<Page<TextMessage>> {
    return this.#http.get<WirePage<WireMessage>>('/sms/inbox', query);
  }

  /** Reads a text and its delivery status. Needs the scope numbers:read. @throws ParleyError MISSING_SCOPE, NOT_FOUND */
  get(id: string): Promise<TextMessage> {
    return this.#http.get<WireMessage>(`/sms/${encodeURIComponent(id)}`);
  }
}
