import { expect, it } from 'vitest';
import { parsePhoneNumber, countries, formatPhoneNumber } from './phoneNumbers.ts';

it.each([
  ['+12025550143', '+1 202 555 0143'],
  ['+442079460100', '+44 20 7946 0100'],
  ['PARLEY', 'PARLEY'],
])('formats %s', (number, text) => {
  expect(formatPhoneNumber(number)).toBe(text);
});

it.each([
  ['+1 (202) 555-0143', undefined, '+12025550143'],
  ['(202) 555-0143', 'US', '+12025550143'],
  ['020 7946 0100', 'GB', '+442079460100'],
  ['2025550143', undefined, null],
  ['hello', 'US', null],
  ['+1 20', undefined, null],
])('parses %s with the default country %s', (text, country, number) => {
  expect(parsePhoneNumber(text, country)).toBe(number);
});

it('lists all countries with their names', () => {
  expect(countries).toContainEqual({ value: 'DE', label: 'Germany' });
  expect(countries.length).toBeGreaterThan(200);
});
