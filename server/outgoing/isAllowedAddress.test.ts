import { expect, it } from 'vitest';
import { ownAddresses } from './addressRules.ts';
import { isAllowedAddress } from './isAllowedAddress.ts';

const own = new Set<string>();

const refused = [
  ['this network', '0.0.0.0', '0.1.2.3', '::'],
  ['loopback', '127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
  [
    'private',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '::ffff:10.1.2.3',
    '::ffff:c0a8:101',
  ],
  [
    'link-local, including cloud metadata',
    '169.254.169.254',
    'fe80::1',
    'fe80::1%eth0',
    '::ffff:169.254.169.254',
  ],
  ['other metadata addresses', '100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254'],
  ['unique-local and site-local', 'fc00::1', 'fdff::1', 'fec0::1'],
  ['carrier-grade NAT', '100.64.0.1', '100.127.255.255'],
  ['multicast and broadcast', '224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1'],
  ['NAT64', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::1'],
  ['tunnels', '2002:7f00:1::', '2001:0:4136:e378::1', '192.88.99.1'],
  ['deprecated forms of IPv4 in IPv6', '::127.0.0.1', '::ffff:0:127.0.0.1', '::10.0.0.1'],
  [
    'documentation and reserved',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '198.18.0.1',
    '240.0.0.1',
    '2001:db8::1',
  ],
  ['invalid addresses', '', 'localhost', '1.2.3', '127.1', '8.8.8.8.', '4000::1'],
];

it.each(refused)('refuses %s', (_kind, ...addresses) => {
  for (const address of addresses)
    expect([address, isAllowedAddress(address, { allowLoopback: false, own })]).toEqual([address, false]);
});

it('allows public addresses', () => {
  const addresses = [
    '1.1.1.1',
    '93.184.216.34',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '223.255.255.255',
  ];
  for (const address of [...addresses, '2606:4700:4700::1111', '2a00:1450:4001::1', '::ffff:1.1.1.1'])
    expect([address, isAllowedAddress(address, { allowLoopback: false, own })]).toEqual([address, true]);
});

it('with allowLoopback, also allows loopback addresses, but none of the other refused ones', () => {
  const allowed = refused.flatMap(([, ...addresses]) =>
    addresses.filter((address) => isAllowedAddress(address, { allowLoopback: true, own })),
  );
  expect(allowed).toEqual(['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1']);
});

it('refuses addresses of this server in any notation', () => {
  const rules = { allowLoopback: false, own: ownAddresses('https://[2606:4700::0:1]', ['93.184.216.35']) };
  for (const address of ['93.184.216.35', '::ffff:93.184.216.35', '2606:4700:0:0:0:0:0:1', '2606:4700::1'])
    expect([address, isAllowedAddress(address, rules)]).toEqual([address, false]);
  expect(isAllowedAddress('93.184.216.36', rules)).toBe(true);
});
