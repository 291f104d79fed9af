import { expect, it } from 'vitest';
import { countersOf, weakSide } from './network.ts';

const fine = { received: 0, lost: 0, sentLoss: 0, roundTrip: 0.05 };

it('sums the statistics of all tracks', () => {
  const inbound = (packetsReceived: number, packetsLost: number) => ({
    ...{ type: 'inbound-rtp', packetsReceived, packetsLost },
  });
  const reported = { type: 'remote-inbound-rtp', fractionLost: 0.2, roundTripTime: 0.1 };
  expect(countersOf([reported, { type: 'codec' }], [inbound(10, 1), inbound(5, 2)])).toEqual({
    ...{ received: 15, lost: 3, sentLoss: 0.2, roundTrip: 0.1 },
  });
});

it('tells the own network from that of the other party', () => {
  expect(weakSide(fine, { ...fine, received: 200, lost: 2 })).toBeNull();
  expect(weakSide(fine, { ...fine, received: 150, lost: 50 })).toBe('peer');
  expect(weakSide(fine, { ...fine, received: 150, lost: 50, sentLoss: 0.2 })).toBe('own');
  expect(weakSide(fine, { ...fine, received: 200, roundTrip: 1 })).toBe('own');
});

it('says nothing about a few packets', () => {
  expect(weakSide(fine, { ...fine, received: 3, lost: 3 })).toBeNull();
});
