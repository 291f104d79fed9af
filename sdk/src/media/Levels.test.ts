import { afterEach, expect, it, vi } from 'vitest';
import { Levels } from './Levels.ts';

afterEach(() => vi.unstubAllGlobals());

it('closes its AudioContext when a track cannot be measured', () => {
  const log: string[] = [];
  /* No browser of these tests refuses an audio track. Firefox does, if its sample rate differs from that of the context. */
  class RefusingContext {
    createMediaStreamSource() {
      throw new Error('The sample rates differ.');
    }
    close() {
      log.push('closed');
      return Promise.resolve();
    }
  }
  vi.stubGlobal('AudioContext', RefusingContext);
  vi.stubGlobal('MediaStream', class {});
  const levels = new Levels();
  const measure = () => levels.measure({ kind: 'audio' } as MediaStreamTrack, () => undefined);
  expect(measure).toThrow('The sample rates differ.');
  expect(measure).toThrow('The sample rates differ.');
  expect(log).toEqual(['closed', 'closed']);
});
