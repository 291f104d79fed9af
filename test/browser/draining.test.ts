import { afterAll, beforeAll, expect, it } from 'vitest';
import { HandoverFixture } from '../harness/media/HandoverFixture.ts';
import { isRunning } from '../harness/nodes/processes.ts';

/* This test checks that the old video lasts until the new one is shown. `npm run bench -- drain` measures for how long video freezes. */

let stage: HandoverFixture;

beforeAll(async () => {
  stage = await HandoverFixture.open();
});
afterAll(() => stage?.close());

it('keeps sending video of calls, rooms and streams during a stop until the new node’s video is shown', async () => {
  const { server } = await stage.owner;
  const workers = server.logged('media worker started').map(({ pid }) => Number(pid));
  const watched = stage.measure();
  const ended = waitForFirstExit(workers);
  expect(await server.stop()).toBe(0);
  const endedAt = await ended;

  const handovers = await watched;
  expect(handovers.map(({ kind }) => kind).sort()).toEqual(['call', 'call', 'room', 'room', 'stream']);
  for (const { shownAt } of handovers) expect(shownAt).toBeLessThanOrEqual(endedAt);
  expect(await stage.isCallActive()).toBe(true);
});

/** Waits until one of these processes has ended. @returns the time of its end in ms */
async function waitForFirstExit(pids: number[]): Promise<number> {
  while (pids.every(isRunning)) await new Promise((resolve) => setTimeout(resolve, 5));
  return Date.now();
}
