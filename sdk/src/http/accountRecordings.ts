import type * as wire from '../../protocol/accountRecordings.ts';
import type { AnswerOf } from '../../protocol/http.ts';
import type { HttpClient } from './HttpClient.ts';
import type { AccountRecording, AccountRecordingsQuery } from './streamTypes.ts';
import type { Page } from '../types.ts';

type WireAccountRecording = AnswerOf<typeof wire.accountRecording>;

/**
 * The recordings of the account, for backends with an API key: `client.accountRecordings`. They are those of its streams and rooms, and of
 * calls that its wallet has recorded. Apps read recordings with `client.recordings`.
 */
export class AccountRecordings {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Lists recordings, latest first. Needs the scope recordings:read.
   * @param query.kind only recordings of this kind: `stream`, `conference` or `call`. Default: all
   * @param query.roomId only recordings of this stream, room or call. Default: all
   * @param query.status only recordings with this status: `recording`, `processing`, `ready` or `failed`. Default: all
   * @param query.limit the number of recordings, 1 to 100. Default: 50
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns one page of recordings, with signed addresses of their files
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: a field is unknown or out of bounds
   */
  list(query?: AccountRecordingsQuery): Promise<Page<AccountRecording>> {
    return this.#http.get<AnswerOf<typeof wire.accountRecordings>>('/recordings', query);
  }

  /**
   * Reads a recording, with newly signed addresses of its files. Needs the scope recordings:read.
   * @param recordingId the id of the recording
   * @returns the recording
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such recording
   */
  get(recordingId: string): Promise<AccountRecording> {
    return this.#http.get<WireAccountRecording>(pathOf(recordingId));
  }

  /**
   * Deletes a recording and its files, permanently. Needs the scope recordings:write.
   * @param recordingId the id of the recording
   * @returns the deleted recording, without its files
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such recording
   * @throws ParleyError CONFLICT: the recording is in progress or being processed
   */
  delete(recordingId: string): Promise<AccountRecording> {
    return this.#http.request<WireAccountRecording>('DELETE', pathOf(recordingId));
  }
}

const pathOf = (recordingId: string) => `/recordings/${encodeURIComponent(recordingId)}`;
