import { expect, it } from 'vitest';
import { readFilter, toQuery, writeFilter } from './auditFilter.ts';

const read = (text: string) => readFilter(new URLSearchParams(text));

it('survives the address it is kept in', () => {
  const text = 'keyPrefix=svc_live_abc123&action=request&from=2026-11-01&to=2026-11-20';
  expect(new URLSearchParams(writeFilter(read(text))).toString()).toBe(text);
});

it('takes nothing from an address that makes no sense', () => {
  expect(writeFilter(read('action=toString&from=yesterday&to=&x=1'))).toEqual({});
  expect(toQuery(read(''))).toEqual({});
});

it('means days whole, where the browser is', () => {
  const { from, to } = toQuery(read('from=2026-11-20&to=2026-11-20'));
  expect(from).toEqual(new Date(2026, 10, 20));
  expect(to).toEqual(new Date(2026, 10, 21));
});
