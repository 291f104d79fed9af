import { describe, expect, it } from 'vitest';
import { forwardedIn, SpeakerRanking } from './speakers.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`);

describe('SpeakerRanking', () => {
  it('ranks the loudest first and leaves out silent microphones', () => {
    const ranking = new SpeakerRanking();
    ranking.update(
      [
        { producerId: 'quiet', volume: -59 },
        { producerId: 'loud', volume: -10 },
        { producerId: 'fair', volume: -30 },
      ],
      0,
    );
    expect(ranking.ranked(0).map(({ producerId }) => producerId)).toEqual(['loud', 'fair']);
  });

  it('keeps a speaker during short pauses, and removes one that has stopped', () => {
    const ranking = new SpeakerRanking();
    for (let at = 0; at < 3_000; at += 300) ranking.update([{ producerId: 'm', volume: -20 }], at);
    expect(ranking.ranked(3_700)).toHaveLength(1);
    expect(ranking.ranked(8_000)).toEqual([]);
  });

  it('ranks speech above a single loud noise', () => {
    const ranking = new SpeakerRanking();
    for (let at = 0; at < 1_500; at += 300) ranking.update([{ producerId: 'speech', volume: -25 }], at);
    ranking.update([{ producerId: 'bang', volume: -5 }], 1_200);
    expect(ranking.ranked(1_300)[0]?.producerId).toBe('speech');
  });
});

describe('forwarded microphones', () => {
  const silent = () => 0;

  it('are all of them with up to thirty people', () => {
    expect(forwardedIn(30, names(30), silent, null)).toBeNull();
    expect(forwardedIn(31, names(31), silent, null)?.size).toBe(10);
  });

  it('are the loudest ten with more people', () => {
    const level = (id: string) => Number(id.slice(1)) / 40;
    expect([...(forwardedIn(40, names(40), level, null) ?? [])]).toEqual(names(40).slice(30).reverse());
  });

  it('change only for a microphone that is clearly louder', () => {
    const before = new Set(names(10));
    const slightly = (id: string) => (id === 'm35' ? 0.1 : 0);
    expect(forwardedIn(40, names(40), slightly, before)).toEqual(before);
    const clearly = (id: string) => (id === 'm35' ? 0.5 : 0);
    expect(forwardedIn(40, names(40), clearly, before)?.has('m35')).toBe(true);
  });

  it('are all active microphones if there are few', () => {
    expect(forwardedIn(500, names(3), silent, null)).toEqual(new Set(names(3)));
  });
});
