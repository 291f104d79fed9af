import { expect, it } from 'vitest';
import { readNumber } from './readNumber.ts';

it.each([
  ['+4915112345678', undefined, []],
  ['030 123456', 'DE', []],
  ['(202) 555-0123', 'US', []],
  ['030 123456', undefined, ['INVALID_COUNTRY_CODE']],
  ['030 123456', 'QQ', ['INVALID_COUNTRY_CODE']],
  ['+999123456789', undefined, ['INVALID_COUNTRY_CODE']],
  ['+1415', undefined, ['TOO_SHORT']],
  ['+141555512345', undefined, ['TOO_LONG']],
  ['+441632960960', undefined, ['INVALID_BUT_POSSIBLE']],
  ['call me', 'DE', ['NOT_A_NUMBER']],
  ['my number is +4915112345678', undefined, ['NOT_A_NUMBER']],
  ['1'.repeat(32), 'DE', ['TOO_LONG']],
  ['<script>', undefined, ['NOT_A_NUMBER']],
])('reads %s with country %s and reports %j', (phoneNumber, country, errors) => {
  expect(readNumber({ phoneNumber, country }).errors).toEqual(errors);
});
