import type { ConferenceRoom } from '@parley/sdk';
import { describe, expect, it } from 'vitest';
import { describePeople } from './describePeople.ts';

const room = (status: ConferenceRoom['status'], ...names: string[]) =>
  ({
    host: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    status,
    participants: names.map((displayName) => ({ displayName })),
  }) as unknown as ConferenceRoom;

describe('the people in a room', () => {
  it('says that nobody has joined yet', () => {
    expect(describePeople(room('waiting'), false)).toMatch(/^Hosted by 0xf39F.*Nobody has joined yet\.$/);
  });

  it('does not say that a room is empty if the server lists nobody', () => {
    const said = describePeople(room('active'), false);
    expect(said).not.toMatch(/nobody/i);
    expect(said).toContain('The meeting has started');
  });

  it('says that the room is empty to its host', () => {
    expect(describePeople(room('active'), true)).toBe('Nobody is in the room at the moment.');
  });

  it('lists up to three names and counts the rest', () => {
    expect(describePeople(room('active', 'Ada'), false)).toBe('Ada is in the room.');
    expect(describePeople(room('active', 'Ada', 'Ben'), false)).toBe('Ada and Ben are in the room.');
    expect(describePeople(room('active', 'Ada', 'Ben', 'Chloé', 'Dmitri', 'Esra'), true)).toBe(
      'Ada, Ben, Chloé and 2 more are in the room.',
    );
  });
});
