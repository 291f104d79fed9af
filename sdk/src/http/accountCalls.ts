import type * as wire from '../../protocol/accountCalls.ts';
import type { AnswerOf } from '../../protocol/http.ts';
import type { WireQuality } from '../../protocol/quality.ts';
import type { HttpClient } from './HttpClient.ts';
import type { KeptQuality, QualityQuery } from './roomTypes.ts';
import type { AccountCall, AccountCallsQuery } from './streamTypes.ts';
import type { Page } from '../types.ts';

type WireAccountCall = AnswerOf<typeof wire.accountCall>;

/**
 * The calls of the account's wallet, for backends with an API key: `client.accountCalls`. An account without a wallet has no calls. Apps call
 * with `client.calls`.
 */
export class AccountCalls {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Lists calls in both directions, those in progress too, latest first. Needs the scope calls:read.
   * @param query.status only calls with this status: `ringing`, `active`, `ended`, `missed` or `declined`. Default: all
   * @param query.limit the number of calls, 1 to 100. Default: 50
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns one page of calls
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: a field is unknown or out of bounds
   */
  list(query?: AccountCallsQuery): Promise<Page<AccountCall>> {
    return this.#http.get<AnswerOf<typeof wire.accountCalls>>('/calls', query);
  }

  /**
   * Reads a call. Needs the scope calls:read.
   * @param callId the id of the call
   * @returns the call
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account's wallet has no such call
   */
  get(callId: string): Promise<AccountCall> {
    return this.#http.get<WireAccountCall>(pathOf(callId));
  }

  /**
   * Reads the quality of the media in a call: what the devices measured every ten seconds, what happened, and what was wrong. Needs the scope
   * calls:read.
   * @param callId the id of the call
   * @param query.from leaves out what was before this time, for example the `nextFrom` of an earlier answer. Default: the whole call
   * @returns the quality of the call
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account's wallet has no such call
   * @example const { findings } = await client.accountCalls.quality(call.id);
   */
  quality(callId: string, query?: QualityQuery): Promise<KeptQuality> {
    return this.#http.get<WireQuality>(`${pathOf(callId)}/quality`, query);
  }

  /**
   * Ends a call, or declines it while it rings for the account's wallet. A call that is over stays as it is. Needs the scope calls:write.
   * @param callId the id of the call
   * @returns the call
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account's wallet has no such call
   */
  end(callId: string): Promise<AccountCall> {
    return this.#http.once<WireAccountCall>(`${pathOf(callId)}/end`);
  }
}

const pathOf = (callId: string) => `/calls/${encodeURIComponent(callId)}`;
