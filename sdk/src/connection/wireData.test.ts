import { expect, it } from 'vitest';
import type { JsonValue } from '../../protocol/data.ts';
import { fromWireData, toWireData } from './wireData.ts';

it.each<[string, JsonValue | Uint8Array]>([
  ['null', null],
  ['a time', '2026-11-20T12:00:00.000Z'],
  ['an object', { startedAt: '2026-11-20T12:00:00.000Z', revision: 1 }],
  ['no bytes', new Uint8Array()],
  ['bytes', Uint8Array.from({ length: 256 }, (_, byte) => byte)],
  ['a part of a buffer', new Uint8Array(8).fill(7).subarray(2, 5)],
])('carries %s unchanged', (_case, data) => {
  expect(fromWireData(toWireData(data))).toEqual(data);
});

it("carries a Buffer's bytes", () => {
  expect(fromWireData(toWireData(Buffer.from('hello')))).toEqual(new TextEncoder().encode('hello'));
});

const circular: Record<string, unknown> = {};
circular.self = circular;
const deep = Array.from({ length: 100_000 }).reduce<unknown[]>((inner) => [inner], []);

it.each<[string, unknown]>([
  ['undefined', undefined],
  ['a function', () => 1],
  ['a symbol', Symbol('x')],
  ['a bigint', { amount: 1n }],
  ['an object that contains itself', circular],
  ['what is nested too deep for JSON', deep],
  ['an ArrayBuffer', new ArrayBuffer(4)],
  ['other numbers than bytes', new Float32Array(4)],
])('refuses %s', (_case, data) => {
  expect(() => toWireData(data)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }) as Error);
});
