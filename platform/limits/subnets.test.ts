import { expect, it } from 'vitest';
import { networkOf, subnetsOf } from './subnets.ts';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
  // As some proxies forward them.
  ['192.0.2.7:51234', '192.0.2.7'],
  ['[2001:db8:1:2::7]:51234', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::7]', '2001:db8:1:2::/64'],
])('counts %s as %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});

it('counts an IPv6 address in its wider networks too, with higher limits', () => {
  expect(subnetsOf('2001:db8:1234:56ff::1')).toEqual([
    { key: '2001:db8:1234:56ff::/64', times: 1 },
    { key: '2001:db8:1234:5600::/56', times: 4 },
    { key: '2001:db8:1234:0::/48', times: 16 },
  ]);
  expect(subnetsOf('192.0.2.7')).toEqual([{ key: '192.0.2.7', times: 1 }]);
});
