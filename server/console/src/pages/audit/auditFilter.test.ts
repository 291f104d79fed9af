import { expect, it } from 'vitest';
import { readFilter, toQuery, writeFilter } from './auditFilter.ts';

const read = (text: string) => readFilter(new URLSearchParams(text));

it('writes a filter to the same query string that it was read from', () => {
  const text = 'keyPrefix=svc_live_abc123&action=request&from=2026-11-01&to=2026-11-20&reads=shown';
  expect(new URLSearchParams(writeFilter(read(text))).toString()).toBe(text);
});

it('ignores invalid values in the query string', () => {
  expect(writeFilter(read('action=toString&from=yesterday&to=&x=1'))).toEqual({});
  expect(toQuery(read(''))).toEqual({ hide: 'session_reads' });
  expect(toQuery(read('reads=shown'))).toEqual({});
});

it('covers the first and the last day completely, in the browser’s time zone', () => {
  const { from, to } = toQuery(read('from=2026-11-20&to=2026-11-20'));
  expect(from).toEqual(new Date(2026, 10, 20));
  expect(to).toEqual(new Date(2026, 10, 21));
});
