import type { AnswerOf, Page as WirePage } from '../../protocol/http.ts';
import type * as wire from '../../protocol/messaging.ts';
import type { sentMessage } from '../../protocol/sms.ts';
import type { HttpClient } from './HttpClient.ts';
import type {
  MessageThread,
  MessageThreadPage,
  NewThreadMessage,
  SentText,
  SpendOptions,
  ThreadQuery,
} from './phoneTypes.ts';
import type { Page } from '../types.ts';

/** Conversations by text: what your numbers, and the pool's, wrote and were written. */
export class Messaging {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * From one of your numbers or the pool, with up to ten pictures where the carrier sends any. Needs sms:send.
   * @throws ParleyError NOT_FOUND where `from` is not yours; VALIDATION_ERROR, INSUFFICIENT_BALANCE
   */
  send(message: NewThreadMessage, { idempotencyKey }: SpendOptions = {}): Promise<SentText> {
    return this.#http.once<AnswerOf<typeof sentMessage>>('/messaging/send', message, idempotencyKey);
  }

  /** The one written to last comes first. Needs numbers:read. */
  threads(query?: ThreadQuery): Promise<Page<MessageThread>> {
    return this.#http.get<WirePage<AnswerOf<typeof wire.thread>>>('/messaging/threads', query);
  }

  /** What was written with somebody; reading the first page marks it as read. @param counterparty their number */
  thread(counterparty: string, query?: ThreadQuery): Promise<MessageThreadPage> {
    const path = `/messaging/threads/${encodeURIComponent(counterparty)}`;
    return this.#http.get<AnswerOf<typeof wire.conversation>>(path, query);
  }
}
