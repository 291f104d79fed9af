import { expect, it } from 'vitest';
import { isHttpUrl, originOf } from './url.ts';

it.each([
  'https://calls.example.org',
  'http://localhost:3000',
  'HTTP://Example.ORG:80/a/b',
  'https://10.0.2.2:443',
  'http://[::1]:8080',
  'https://exämple.org',
  'https://a_b.example',
])('reads %s like the URL class', (url) => {
  expect(isHttpUrl(url)).toBe(true);
  expect(originOf(url)).toBe(new URL(url).origin);
});

it.each([
  'calls.example.org',
  'https://',
  'https:///x',
  'https://a b',
  'ftp://example.org',
  'https://user@example.org',
  'https://example.org?x',
  'https://example.org:99999',
  'https://example.org:x',
  'https://[::1',
])('refuses %s', (url) => expect(isHttpUrl(url)).toBe(false));
