import { expect, it } from 'vitest';
import { countryOf, mayBeTexted } from './destinations.ts';

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

it.each([
  ['+491511234567', true],
  ['+4901511234567', false],
  ['+447400123456', true],
  ['+4407400123456', false],
  ['+390612345678', true],
  ['+5491112345678', true],
  ['+12025550123', true],
  ['+15005550006', true],
  ['+8613812345678', false],
])('allows texts to %s: %s', (phoneNumber, isAllowed) => {
  expect(mayBeTexted(phoneNumber, ['US', 'GB', 'DE', 'IT', 'AR'])).toBe(isAllowed);
});
