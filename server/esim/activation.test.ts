import { expect, it } from 'vitest';
import { luhnDigit } from './activation.ts';
import { packagesOf } from './airaloWire.ts';
import { LoopbackEsims } from './LoopbackEsims.ts';

it.each([
  // The textbook example of the Luhn algorithm, and numbers of test cards.
  ['7992739871', '3'],
  ['411111111111111', '1'],
  ['550000000000000', '4'],
])('finds the check digit of %s', (digits, digit) => {
  let sum = 0;
  for (const [index, each] of [...(digits + digit)].reverse().entries()) {
    const value = Number(each) * (index % 2 ? 2 : 1);
    sum += Math.floor(value / 10) + (value % 10);
  }
  expect([luhnDigit(digits), sum % 10]).toEqual([digit, 0]);
});

it('sells the same profiles for the same reference, and different ones for another', async () => {
  const provider = new LoopbackEsims(Buffer.from('key'));
  const order = (reference: string) =>
    provider.order({ reference, packageId: 'eu-1gb', quantity: 3, email: null });
  const first = await order('a');
  expect(await order('a')).toEqual(first);
  const all = [...first, ...(await order('b'))];
  expect(new Set(all.map(({ iccid }) => iccid)).size).toBe(6);
  expect(new Set(all.map(({ matchingId }) => matchingId)).size).toBe(6);
});

it('rounds prices up to whole credits', () => {
  const offer = { id: 'x', type: 'sim', title: 'x', amount: 1_024, day: 7, is_unlimited: false };
  const priced = (price: number, markup: number) =>
    packagesOf(
      { country_code: 'DE', operators: [{ title: 'o', packages: [{ ...offer, price }] }] },
      markup,
    )[0]?.credits;
  expect([priced(4.5, 0), priced(9.5, 10), priced(1.1, 0), priced(4.99, 15)]).toEqual([450, 1_045, 110, 574]);
});
