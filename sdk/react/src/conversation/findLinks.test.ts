import { expect, it, test } from 'vitest';
import { findLinks } from './findLinks.ts';

const linksIn = (text: string) => findLinks(text).flatMap(({ href }) => href ?? []);

test.each([
  ['See https://example.org/a?b=c#d.', ['https://example.org/a?b=c#d']],
  ['(https://en.wikipedia.org/wiki/Rose_(flower))', ['https://en.wikipedia.org/wiki/Rose_(flower)']],
  ['HTTP://EXAMPLE.ORG and http://localhost:3000!', ['http://example.org/', 'http://localhost:3000/']],
  ['javascript:alert(1) data:text/html,x ftp://a.b mailto:a@b.c www.example.org', []],
  ['xhttps://example.org', []],
  ['https://', []],
  ['<img src="https://example.org/x" onerror="alert(1)">', ['https://example.org/x']],
])('finds the web addresses of %j', (text, links) => {
  expect(linksIn(text)).toEqual(links);
});

it('keeps every character of the text', () => {
  const text = 'One https://a.example, two (https://b.example/c) and three.\nhttps://d.example';
  expect(
    findLinks(text)
      .map(({ part }) => part)
      .join(''),
  ).toBe(text);
});
