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

/** Texts of the account's numbers and the server's pool, grouped into threads: `client.messaging`. */
export class Messaging {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Sends a text from one of the account's numbers or the pool. Needs the scope sms:send.
   * @param message.to the recipient, in E.164
   * @param message.message the text, 1 to 1,600 characters
   * @param message.from one of the account's numbers. @default a number of the pool
   * @param message.mediaUrls the URLs of up to ten images, if the carrier supports MMS
   * @throws ParleyError MISSING_SCOPE, NOT_FOUND (`from` is not one of the account's numbers), CONFLICT (`number_not_active`),
   * VALIDATION_ERROR, INSUFFICIENT_BALANCE, SERVICE_UNAVAILABLE (`no_pool_number`)
   */
  send(message: NewThreadMessage, { idempotencyKey }: SpendOptions = {}): Promise<SentText> {
    return this.#http.once<AnswerOf<typeof sentMessage>>('/messaging/send', message, idempotencyKey);
  }

  /** Lists threads, latest first. Needs the scope numbers:read. @throws ParleyError MISSING_SCOPE */
  threads(query?: ThreadQuery): Promise<Page<MessageThread>> {
    return this.#http.get<WirePage<AnswerOf<typeof wire.thread>>>('/messaging/threads', query);
  }

  /**
   * Reads the texts exchanged with a phone number, latest first. Reading the first page marks the thread as read. Needs the scope
   * numbers:read.
   * @param counterparty the other number, in E.164
   * @throws ParleyError MISSING_SCOPE, NOT_FOUND
   */
  thread(counterparty: string, query?: ThreadQuery): Promise<MessageThreadPage> {
    const path = `/messaging/threads/${encodeURIComponent(counterparty)}`;
    return this.#http.get<AnswerOf<typeof wire.conversation>>(path, query);
  }
}
