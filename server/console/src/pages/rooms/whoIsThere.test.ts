import type { ConferenceRoom } from '@parley/sdk';
import { describe, expect, it } from 'vitest';
import { whoIsThere } from './whoIsThere.ts';

const room = (status: ConferenceRoom['status'], ...names: string[]) =>
  ({
    host: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    status,
    participants: names.map((displayName) => ({ displayName })),
  }) as unknown as ConferenceRoom;

describe('who is there', () => {
  it('is nobody before the first has come', () => {
    expect(whoIsThere(room('waiting'), false)).toMatch(/^A room of 0xf39F.*Nobody is in it yet\.$/);
  });

  it('is not said of a room that has begun, to whom the server does not tell', () => {
    const said = whoIsThere(room('active'), false);
    expect(said).not.toMatch(/nobody/i);
    expect(said).toContain('It has begun');
  });

  it('is nobody where its host, who may know, sees none', () => {
    expect(whoIsThere(room('active'), true)).toBe('Nobody is in it at the moment.');
  });

  it('is told by names, as far as there is room for them', () => {
    expect(whoIsThere(room('active', 'Ada'), false)).toBe('Ada is here.');
    expect(whoIsThere(room('active', 'Ada', 'Ben'), false)).toBe('Ada and Ben are here.');
    expect(whoIsThere(room('active', 'Ada', 'Ben', 'Chloé', 'Dmitri', 'Esra'), true)).toBe(
      'Ada, Ben, Chloé and 2 more are here.',
    );
  });
});
