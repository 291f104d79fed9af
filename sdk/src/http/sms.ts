import type { AnswerOf, Page as WirePage } from '../../protocol/http.ts';
import type * as wire from '../../protocol/sms.ts';
import type { HttpClient } from './HttpClient.ts';
import type { InboxQuery, NewText, QueuedText, SpendOptions, TextMessage, TextRate } from './phoneTypes.ts';
import type { Page } from '../types.ts';

type WireMessage = AnswerOf<typeof wire.message>;

/** Texts from the server's shared pool of numbers: who answers reaches the account that wrote last. */
export class Sms {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Queues a text of up to 1,600 characters, paid by the segment. Needs sms:send.
   * @throws ParleyError VALIDATION_ERROR (`unsupported_destination`, `recipient_opted_out`), INSUFFICIENT_BALANCE
   */
  send(text: NewText, { idempotencyKey }: SpendOptions = {}): Promise<QueuedText> {
    return this.#http.once<AnswerOf<typeof wire.queuedSms>>('/sms/send', text, idempotencyKey);
  }

  /** What a text to a number costs by the segment, and whether any are sent there. Needs sms:send. */
  rate(to: string): Promise<TextRate> {
    return this.#http.get<AnswerOf<typeof wire.textRate>>('/sms/rate', { to });
  }

  /** What came in, the latest first: replies to texts from the pool, and texts to your numbers. Needs numbers:read. */
  inbox(query?: InboxQuery): Promise<Page<TextMessage>> {
    return this.#http.get<WirePage<WireMessage>>('/sms/inbox', query);
  }

  /** A text, and what has become of it. Needs numbers:read. */
  get(id: string): Promise<TextMessage> {
    return this.#http.get<WireMessage>(`/sms/${encodeURIComponent(id)}`);
  }
}
