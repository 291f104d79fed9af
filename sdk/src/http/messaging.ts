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
   * @param message.from one of the account's numbers. Default: a number of the pool
   * @param message.mediaUrls the URLs of up to ten images, if the carrier supports MMS
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the text, with its cost
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: `from` is not one of the account's numbers
   * @throws ParleyError CONFLICT: the number is not active (`number_not_active`)
   * @throws ParleyError VALIDATION_ERROR: the server sends no texts to this country (`unsupported_destination`), or the recipient has opted
   * out (`recipient_opted_out`), or the carrier sends no images
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the pool has no number for this recipient (`no_pool_number`)
   */
  send(message: NewThreadMessage, { idempotencyKey }: SpendOptions = {}): Promise<SentText> {
    return this.#http.once<AnswerOf<typeof sentMessage>>('/messaging/send', message, idempotencyKey);
  }

  /**
   * Lists threads, latest first. Needs the scope numbers:read.
   * @param query the page to read. Default: the first 50
   * @returns one page of threads
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   */
  threads(query?: ThreadQuery): Promise<Page<MessageThread>> {
    return this.#http.get<WirePage<AnswerOf<typeof wire.thread>>>('/messaging/threads', query);
  }

  /**
   * Reads the texts exchanged with a phone number, latest first. Reading the first page marks the thread as read. Needs the scope
   * numbers:read.
   * @param counterparty the other party, as in its thread: a number in E.164; or the short code or the name of a sender without one
   * @param query the page to read. Default: the first 50
   * @returns the thread with one page of its texts
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such thread
   * @throws ParleyError VALIDATION_ERROR: `counterparty` is neither a number nor a sender of a thread
   */
  thread(counterparty: string, query?: ThreadQuery): Promise<MessageThreadPage> {
    const path = `/messaging/threads/${encodeURIComponent(counterparty)}`;
    return this.#http.get<AnswerOf<typeof wire.conversation>>(path, query);
  }
}
