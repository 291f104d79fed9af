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
  it('are described as “nobody yet” until somebody joins', () => {
    expect(describePeople(room('waiting'), false)).toMatch(/^Hosted by 0xf39F.*Nobody has joined yet\.$/);
  });

  it('are not described as “nobody” if the server does not list them', () => {
    const said = describePeople(room('active'), false);
    expect(said).not.toMatch(/nobody/i);
    expect(said).toContain('The meeting has started');
  });

  it('are described as “nobody” to the host of an empty room', () => {
    expect(describePeople(room('active'), true)).toBe('Nobody is in the room at the moment.');
  });

  it('are listed with up to three names and a count of the others', () => {
    expect(describePeople(room('active', 'Ada'), false)).toBe('Ada is in the room.');
    expect(describePeople(room('active', 'Ada', 'Ben'), false)).toBe('Ada and Ben are in the room.');
    expect(describePeople(room('active', 'Ada', 'Ben', 'Chloé', 'Dmitri', 'Esra'), true)).toBe(
      'Ada, Ben, Chloé and 2 more are in the room.',
    );
  });
});
