import { english, withChat } from '@parley/react';
import {
  ParleyError,
  type ChatMessage,
  type ConferenceRoom,
  type MediaTrack,
  type Participant,
  type RoomState as SharedRoom,
} from '@parley/sdk';
import { describe, expect, it } from 'vitest';
import { announcementOf } from './announcementOf.ts';
import { arranged, departureOf, outside, roomStateOf, sharing, spokeLately } from './roomState.ts';

const person = (id: string, more: Partial<Participant> = {}) =>
  ({ id, screen: false, handRaised: false, ...more }) as Participant;
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

  it('is that of the SDK inside, and that of the page outside', () => {
    const room = { name: 'At the door' } as ConferenceRoom;
    const own = { ...outside, phase: 'door' as const, room };
    const shared = (more: Partial<SharedRoom>) => ({ room: null, own: null, ...more }) as SharedRoom;
    expect(roomStateOf(own, shared({ phase: 'left' }))).toMatchObject({ phase: 'door', room });
    expect(roomStateOf(own, shared({ phase: 'waiting' }))).toMatchObject({ phase: 'waiting', room });
    const inside = { name: 'Inside' } as ConferenceRoom;
    const ann = person('a', { audio: true, video: true });
    const joined = shared({ phase: 'joined', room: inside, own: ann });
    expect(roomStateOf({ ...own, wanted: { video: false } }, joined)).toMatchObject({
      phase: 'in',
      room: inside,
      sending: { audio: true, video: false },
    });
  });

  it('says why the user is out, but leaves a failed join to the door', () => {
    const after = (more: Partial<SharedRoom>) =>
      departureOf({ room: null, error: null, ...more } as SharedRoom);
    expect(after({ reason: 'kicked' })).toBe('kicked');
    expect(after({ reason: 'replaced' })).toBe('other_device');
    expect(after({ reason: 'ended', room: { endReason: 'empty' } as ConferenceRoom })).toBe('empty');
    const refused = (reason: 'room_ended' | 'room_locked') =>
      after({ reason: 'refused', error: new ParleyError('CONFLICT', '', { reason }) });
    expect(refused('room_ended')).toBe('ended');
    expect(refused('room_locked')).toBeNull();
    expect(after({ reason: 'moved' })).toBeNull();
  });

  it('announces what people do, but not that the user raises a hand', () => {
    const [ann, ben] = [person('a', { displayName: 'Ann' }), person('b', { displayName: 'Ben' })];
    const said = (before: Participant[], participants: Participant[]) =>
      announcementOf({ participants: before }, { participants, own: ann }, english.rooms);
    expect(said([ann], [ann, ben])).toBe(english.rooms.joined('Ben'));
    expect(said([ann, ben], [ann])).toBe(english.rooms.left('Ben'));
    expect(said([ann, ben], [ann, { ...ben, handRaised: true }])).toBe(english.rooms.raisedHand('Ben'));
    expect(said([ann], [{ ...ann, handRaised: true }])).toBeNull();
    expect(said([ann], [{ ...ann, screen: true }])).toBe(english.rooms.startedSharing('Ann'));
    expect(said([{ ...ann, screen: true }], [ann])).toBe(english.rooms.stoppedSharing('Ann'));
  });

  it('shows the screen that was shared last', () => {
    const [ann, ben] = [person('a', { screen: true }), person('b', { screen: true })];
    const tracks = [track('a', 'screen'), track('b', 'screen')];
    expect(sharing([ann, ben], tracks)?.id).toBe('b');
    expect(sharing([ann, person('b')], tracks)?.id).toBe('a');
    expect(sharing([person('a')], tracks)).toBeNull();
  });
});
