import { afterAll, beforeAll, expect, it } from 'vitest';
import { HandoverFixture } from '../harness/HandoverFixture.ts';
import { isRunning } from '../harness/processes.ts';

/* `npm run bench -- drain` has the figure: how long no new frame is shown. */

let stage: HandoverFixture;

beforeAll(async () => {
  stage = await HandoverFixture.open();
});
afterAll(() => stage?.close());

it('a node that is told to end goes on sending the pictures of a call, a room and a stream until others show them', async () => {
  const { server } = await stage.owner;
  const workers = server.logged('media worker started').map(({ pid }) => Number(pid));
  const watched = stage.measure();
  const ended = untilOneEnds(workers);
  expect(await server.stop()).toBe(0);
  const endedAt = await ended;

  const handovers = await watched;
  expect(handovers.map(({ kind }) => kind).sort()).toEqual(['call', 'call', 'room', 'room', 'stream']);
  for (const { shownAt } of handovers) expect(shownAt).toBeLessThanOrEqual(endedAt);
  expect(await stage.isCallActive()).toBe(true);
});

/** @returns when the first of these processes was gone */
async function untilOneEnds(pids: number[]): Promise<number> {
  while (pids.every(isRunning)) await new Promise((resolve) => setTimeout(resolve, 5));
  return Date.now();
}
