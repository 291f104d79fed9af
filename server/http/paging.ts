import { defaultPageSize, type Page } from '../../sdk/protocol/http.ts';
import { badField } from './refusals.ts';

/** Rows have ascending numbers. A cursor holds the number of the last row of a page; the next page has the rows below it. */
export interface PageRequest {
  limit: number;
  before: number | null;
}

/** @throws ParleyError VALIDATION_ERROR for an invalid cursor */
export function pageRequest(query: { limit?: number | undefined; cursor?: string | undefined }): PageRequest {
  return {
    limit: query.limit ?? defaultPageSize,
    before: query.cursor === undefined ? null : fromCursor(query.cursor),
  };
}

/** @param rows the rows of the page, and one more if there is a next page */
export function toPage<Row extends { seq: number }, Item>(
  rows: Row[],
  limit: number,
  toItem: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  return { data: shown.map(toItem), hasMore, nextCursor: hasMore && last ? toCursor(last.seq) : null };
}

const toCursor = (seq: number) => Buffer.from(`v1:${seq}`).toString('base64url');

function fromCursor(cursor: string): number {
  const [, seq] = /^v1:(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (seq !== undefined) return Number(seq);
  const message = 'not a cursor of this list. Use the nextCursor of the page before, unchanged';
  throw badField('cursor', 'invalid_cursor', message);
}
