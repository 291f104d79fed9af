import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { flashTitle } from './flashTitle.ts';

const page = { title: '' };

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', page);
  page.title = 'Chats';
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The titles of the next seconds. */
const titles = (count: number) =>
  Array.from({ length: count }, () => {
    vi.advanceTimersByTime(1_000);
    return page.title;
  });

it('shows the text in turn with the title', () => {
  const stop = flashTitle('Ada is calling');
  expect(page.title).toBe('Ada is calling');
  expect(titles(2)).toEqual(['Chats', 'Ada is calling']);
  stop();
  expect(titles(2)).toEqual(['Chats', 'Chats']);
});

it('keeps a title that the app sets meanwhile', () => {
  const stop = flashTitle('Ada is calling');
  page.title = '(1) Chats';
  expect(titles(3)).toEqual(['Ada is calling', '(1) Chats', 'Ada is calling']);
  stop();
  expect(page.title).toBe('(1) Chats');
});

it('keeps a title that the app sets just before the end', () => {
  const stop = flashTitle('Ada is calling');
  page.title = 'Rooms';
  stop();
  expect(page.title).toBe('Rooms');
});
