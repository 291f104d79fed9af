import { afterEach, expect, it, vi } from 'vitest';
import type { Member, Publication } from './Member.ts';
import { LayerDemand } from './LayerDemand.ts';
import { RoomSpeakers } from './RoomSpeakers.ts';

/* The clock of the machine is set back while rooms are open. */

const anHour = 3_600_000;

afterEach(() => {
  vi.useRealTimers();
});

it('ranks a speaker who has spoken before the clock was set back like any other', () => {
  vi.useFakeTimers();
  const member = { publications: new Map(), info: { peerId: 'ann' } } as unknown as Member;
  member.publications.set('microphone', { producerId: 'mic', from: member } as Publication);
  const levels: number[] = [];
  const speakers = new RoomSpeakers({
    roomId: 'room',
    members: new Map([['ann', member]]),
    onSpeakers: (event) => levels.push(...event.speakers.map(({ level }) => level)),
    onForwarded: () => undefined,
  });
  const loud = [{ producerId: 'mic', volume: 0 }];
  speakers.update(loud);
  vi.advanceTimersByTime(100);
  vi.setSystemTime(Date.now() - anHour);
  speakers.update(loud);
  // Ann is silent from here on, and then no longer a speaker.
  vi.advanceTimersByTime(30_000);
  expect(levels.every((level) => level <= 1)).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
  speakers.close();
});

it('measures the demand of viewers who come after the clock was set back', () => {
  vi.useFakeTimers();
  const wanted: number[] = [];
  const watching = new Set<never>();
  const demand = new LayerDemand({
    watching: () => watching,
    onDemand: (_publication, layer) => wanted.push(layer),
  });
  const from = { isMultiparty: true, sendsAlways: false } as Member;
  const video = { producerId: 'camera', source: 'camera', from, isClosed: false, layers: [4, 2, 1] };
  const viewer = { isViewer: true } as Member;
  demand.refresh(video as unknown as Publication, viewer);
  // Nobody watches, so that nothing has to be sent.
  vi.advanceTimersByTime(5_000);
  expect(wanted).toEqual([-1]);
  vi.setSystemTime(Date.now() - anHour);
  watching.add({ isVisible: true, layer: 2 } as never);
  demand.refresh(video as unknown as Publication, viewer);
  vi.advanceTimersByTime(1_000);
  expect(wanted).toEqual([-1, 2]);
  demand.close();
});
