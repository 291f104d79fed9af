import { expect, it } from 'vitest';
import { cleanName, contentDisposition, withExtension } from './fileName.ts';

it.each([
  ['photo.jpg', 'photo.jpg'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\me\\photo.jpg', 'photo.jpg'],
  ['/', null],
  ['..', null],
  ['.htaccess', 'htaccess'],
  ['a\u0000b\r\nSet-Cookie: x.png', 'abSet-Cookie_ x.png'],
  // Programs that apply the override show it as exe.gnp.
  ['evil\u202egnp.exe', 'evilgnp.exe'],
  ['half \ud800 a letter', 'half  a letter'],
  ['Grüße 🎉.png', 'Grüße 🎉.png'],
  ['', null],
  [undefined, null],
])('cleans %j to %j', (given, clean) => {
  expect(cleanName(given)).toBe(clean);
});

it('limits the length and keeps the extension', () => {
  const name = cleanName(`${'x'.repeat(500)}.png`) ?? '';
  expect([name.length, name.endsWith('.png')]).toEqual([200, true]);
});

it('adds the extension of the content', () => {
  expect(withExtension('page.html', ['png'])).toBe('page.html.png');
  expect(withExtension('PHOTO.JPEG', ['jpg', 'jpeg'])).toBe('PHOTO.JPEG');
  expect(withExtension('notes.md', [])).toBe('notes.md');
  expect(withExtension(null, ['png'])).toBeNull();
});

it('writes one header with any characters', () => {
  expect(contentDisposition('a"b\\c;d.png', 'image')).toBe(
    `inline; filename="a_b_c;d.png"; filename*=UTF-8''a%22b%5Cc%3Bd.png`,
  );
  expect(contentDisposition('é.png', 'image')).toBe(`inline; filename="_.png"; filename*=UTF-8''%C3%A9.png`);
  expect(contentDisposition(null, 'audio')).toBe('inline');
  expect(contentDisposition('é.html', 'file')).toBe(
    `attachment; filename="_.html"; filename*=UTF-8''%C3%A9.html`,
  );
  expect(contentDisposition(null, 'file')).toBe('attachment');
});
