import { expect, test } from 'vitest';
import { parseCallee } from './parseCallee.ts';

const address = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const own = { origin: 'http://localhost:3000', address: '0x52908400098527886E0F7030069857D2E4169EE7' };

test.each([
  address,
  address.toLowerCase(),
  `0X${address.slice(2).toUpperCase()}`,
  `  ${address}\n`,
  `http://localhost:3000/call/${address}`,
  `http://127.0.0.1:3000/call/${address}?from=mail`,
  `/call/${address.toLowerCase()}/`,
])('reads an address from %j', (text) => {
  expect(parseCallee(text, own)).toEqual({ address });
});

test.each([
  `eip155:137:${address}`,
  `EIP155:137:${address.toLowerCase()}`,
  `http://localhost:3000/call/eip155:137:${address}`,
  `http://localhost:3000/call/eip155%3A137%3A${address}`,
])('reads a contract wallet from %j', (text) => {
  expect(parseCallee(text, own)).toEqual({ address: `eip155:137:${address}` });
});

test('distinguishes a contract wallet from wallets with the same address on other chains', () => {
  const here = { ...own, address: `eip155:1:${address}` };
  expect(parseCallee(`eip155:1:${address}`, here).problem).toMatch(/your own/);
  expect(parseCallee(`eip155:137:${address}`, here).address).toBe(`eip155:137:${address}`);
  expect(parseCallee(address, here).address).toBe(address);
});

test.each([
  ['', /Paste/],
  ['eip155:0:0x', /starts with 0x/],
  [`eip155:137:${address.slice(0, -1)}`, /this one has 39/],
  [`eip155:137:${address.replace('d8dA', 'd8da')}`, /typing error/],
  [`solana:137:${address}`, /starts with 0x/],
  ['alice', /starts with 0x/],
  [address.slice(0, -1), /this one has 39/],
  [address.replace('d8dA', 'd8da'), /typing error/],
  [address.replace('6045', '604g'), /typing error/],
  [`https://elsewhere.example/call/${address}`, /elsewhere\.example/],
  ['http://localhost:3000/call/bob', /starts with 0x/],
  [own.address, /your own/],
  [own.address.toLowerCase(), /your own/],
])('explains why %j is refused', (text, problem) => {
  expect(parseCallee(text, own).problem).toMatch(problem);
});
