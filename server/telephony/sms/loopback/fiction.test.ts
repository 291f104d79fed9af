import { expect, it } from 'vitest';
import { countryOf } from '../destinations.ts';
import { fictionBeside, loopbackPool } from './fiction.ts';

const fiction = fictionBeside(loopbackPool);
const everyCountry = ['US', 'CA', 'GB', 'IE', 'AU', 'DE', 'FR', 'SE'];
const query = { areaCode: null, phoneNumber: null, capabilities: [], limit: 1 };

it.each(everyCountry)('offers unique numbers of %s that are not in the pool', (country) => {
  const seen = new Set<string>();
  for (const type of fiction.types(country)) {
    const first = [...fiction.fitting({ ...query, country, type })];
    expect(first.length).toBeGreaterThanOrEqual(10);
    // There are too many offers for one expectation each.
    expect(first.every((offer) => offer.country === country && offer.type === type)).toBe(true);
    const before = seen.size;
    for (const { phoneNumber } of first) seen.add(phoneNumber);
    expect(seen.size - before).toBe(first.length);
    const sample = [first[0], first.at(-1), first[Math.floor(first.length / 2)]];
    for (const offer of sample) {
      expect([offer?.phoneNumber, countryOf(offer?.phoneNumber ?? '')]).toEqual([
        offer?.phoneNumber,
        country,
      ]);
      const named = [...fiction.fitting({ ...query, country, type, phoneNumber: offer?.phoneNumber ?? '' })];
      expect(named).toEqual([offer]);
    }
  }
  for (const number of loopbackPool) expect(seen.has(number)).toBe(false);
});

it('sells no numbers of other countries, and none under a wrong country', () => {
  expect(fiction.types('ZZ')).toEqual([]);
  const asCanadian = { ...query, country: 'CA', type: 'local' as const };
  expect([...fiction.fitting({ ...asCanadian, phoneNumber: '+12125550100' })]).toEqual([]);
  expect([...fiction.fitting({ ...asCanadian, areaCode: '212' })]).toEqual([]);
  expect([...fiction.fitting({ ...asCanadian, phoneNumber: '+12505550142' })]).toHaveLength(1);
});

it('sells no numbers of a pool that the operator has chosen', () => {
  const local = { ...query, country: 'US', type: 'local' as const, areaCode: '202' };
  const [first] = fiction.fitting(local);
  const pool = [first?.phoneNumber ?? ''];
  expect(pool).toEqual(['+12025550100']);
  const [next] = fictionBeside(pool).fitting(local);
  expect(next?.phoneNumber).toBe('+12025550101');
  expect([...fictionBeside(pool).fitting({ ...local, phoneNumber: pool[0] ?? '' })]).toEqual([]);
});
