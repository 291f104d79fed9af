import { expect, it } from 'vitest';
import { countryOf } from './destinations.ts';

it.each([
  ['+12125550123', 'US'],
  ['+14165550123', 'CA'],
  ['+18005550123', 'US'],
  ['+15005550006', 'US'],
  ['+447700900123', 'GB'],
  ['+447400123456', 'GB'],
  ['+447911123456', 'GG'],
  ['+4930231250123', 'DE'],
  ['+18765550123', 'JM'],
  ['+77012345678', 'KZ'],
  ['+79161234567', 'RU'],
  ['+14155550', null],
  ['+99912345678', null],
  ['+4912', null],
])('finds the country of %s: %s', (phoneNumber, country) => {
  expect(countryOf(phoneNumber)).toBe(country);
});
