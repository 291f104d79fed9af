import type { Place, PlacedPage } from '../../platform/database/places.ts';
import { defaultPageSize, type Page } from '../../sdk/protocol/http.ts';
import { badField } from './refusals.ts';

/** Rows have ascending numbers. A cursor holds the number of the last row of a page; the next page has the rows below it. */
export interface PageRequest {
  limit: number;
  before: number | null;
}

interface PageQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** @throws ParleyError VALIDATION_ERROR for an invalid cursor */
export function pageRequest(query: PageQuery): PageRequest {
  return {
    limit: query.limit ?? defaultPageSize,
    before: query.cursor === undefined ? null : fromCursor(query.cursor),
  };
}

/**
 * For rows without numbers: they are sorted by a time and an id, which the cursor holds.
 * @throws ParleyError VALIDATION_ERROR for an invalid cursor
 */
export function placedPage(query: PageQuery): PlacedPage {
  return {
    limit: query.limit ?? defaultPageSize,
    before: query.cursor === undefined ? null : toPlace(query.cursor),
  };
}

/** @param rows the rows of the page, and one more if there is a next page */
export function toPage<Row extends { seq: number }, Item>(
  rows: Row[],
  limit: number,
  toItem: (row: Row) => Item,
): Page<Item> {
  return pageOf(rows, limit, toItem, ({ seq }) => toCursor(String(seq)));
}

/** Like toPage(), for placedPage(). @param placeOf the place of a row in the list */
export function toPlacedPage<Row, Item>(
  rows: Row[],
  limit: number,
  placeOf: (row: Row) => Place,
  toItem: (row: Row) => Item,
): Page<Item> {
  return pageOf(rows, limit, toItem, (row) => {
    const { at, id } = placeOf(row);
    return toCursor(`${at.getTime()}:${id}`);
  });
}

function pageOf<Row, Item>(
  rows: Row[],
  limit: number,
  toItem: (row: Row) => Item,
  cursorOf: (last: Row) => string,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  return { data: shown.map(toItem), hasMore, nextCursor: hasMore && last ? cursorOf(last) : null };
}

const toCursor = (place: string) => Buffer.from(`v1:${place}`).toString('base64url');

function fromCursor(cursor: string): number {
  const [, seq] = /^v1:(\d{1,15})$/.exec(textOf(cursor)) ?? [];
  if (seq !== undefined) return Number(seq);
  throw invalidCursor();
}

function toPlace(cursor: string): Place {
  const [, at, id] = /^v1:(\d{1,14}):(\w{1,64})$/.exec(textOf(cursor)) ?? [];
  if (at !== undefined && id !== undefined) return { at: new Date(Number(at)), id };
  throw invalidCursor();
}

const textOf = (cursor: string) => Buffer.from(cursor, 'base64url').toString();

const invalidCursor = () =>
  badField(
    'cursor',
    'invalid_cursor',
    'not a cursor of this list. Use the nextCursor of the page before, unchanged',
  );
