import { withChat } from '@parley/react';
import type { ChatMessage, MediaTrack, Participant } from '@parley/sdk';
import { describe, expect, it } from 'vitest';
import { arranged, sharing, spokeLately, withoutTrack, withTrack } from './roomState.ts';

const person = (id: string, more: Partial<Participant> = {}) =>
  ({ id, screen: false, ...more }) as Participant;
const people = (...ids: string[]) => ids.map((id) => person(id));
const ids = (list: Participant[]) => list.map(({ id }) => id).join('');
const track = (id: string, source: MediaTrack['source'] = 'camera') =>
  ({ participant: person(id), source, track: {} }) as MediaTrack;

describe('the first page', () => {
  it('shows the people who joined first', () => {
    expect(ids(arranged(people('a', 'b', 'c', 'd'), [], 3))).toBe('abcd');
  });

  it('shows a speaker in place of a silent person', () => {
    expect(ids(arranged(people('a', 'b', 'c', 'd', 'e'), ['e'], 3))).toBe('abecd');
    expect(ids(arranged(people('a', 'b', 'c', 'd', 'e'), ['e', 'c'], 3))).toBe('aecbd');
  });

  it('shows everyone exactly once', () => {
    const all = people(...'abcdefghijkl');
    for (const spoke of [['l', 'k'], ['a'], ['l', 'a', 'k'], ['gone']])
      expect([...ids(arranged(all, spoke, 5))].sort().join('')).toBe('abcdefghijkl');
  });
});

describe('the state of a room', () => {
  it('keeps recent speakers, the latest first', () => {
    expect(spokeLately(['a', 'b'], ['c', 'b'])).toEqual(['c', 'b', 'a']);
  });

  it('keeps each chat message once, in order', () => {
    const said = (id: string, at: number) =>
      ({ message: { id, timestamp: new Date(at) } }) as unknown as ChatMessage;
    const known = [said('a', 1), said('c', 3)];
    expect(withChat(known, said('b', 2), said('a', 1)).map(({ message }) => message.id)).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(withChat(known, said('a', 1))).toBe(known);
  });

  it('loses an ended track but not its replacement', () => {
    const [first, second] = [track('a'), track('a')];
    const tracks = withTrack(withTrack(new Map(), first), second);
    expect(withoutTrack(tracks, first)).toBe(tracks);
    expect(withoutTrack(tracks, second).size).toBe(0);
  });

  it('shows the screen that was shared last', () => {
    const [ann, ben] = [person('a', { screen: true }), person('b', { screen: true })];
    const tracks = withTrack(withTrack(new Map(), track('a', 'screen')), track('b', 'screen'));
    expect(sharing([ann, ben], tracks)?.id).toBe('b');
    expect(sharing([ann, person('b')], tracks)?.id).toBe('a');
    expect(sharing([person('a')], tracks)).toBeNull();
  });
});
