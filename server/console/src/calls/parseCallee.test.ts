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
])('reads %j', (text) => {
  expect(parseCallee(text, own)).toEqual({ address });
});

test.each([
  ['', /Paste/],
  ['alice', /begins with 0x/],
  [address.slice(0, -1), /this one has 39/],
  [address.replace('d8dA', 'd8da'), /typing error/],
  [address.replace('6045', '604g'), /typing error/],
  [`https://elsewhere.example/call/${address}`, /elsewhere\.example/],
  ['http://localhost:3000/call/bob', /begins with 0x/],
  [own.address, /your own/],
  [own.address.toLowerCase(), /your own/],
])('refuses %j in words', (text, problem) => {
  expect(parseCallee(text, own).problem).toMatch(problem);
});
