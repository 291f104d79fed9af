import {
  allReceive,
  launchChromium,
  makeCall,
  openClient,
  type BrowserClient,
} from '../harness/browser/browser.ts';
import { splitRoles, type Cluster, type ClusterNode } from '../harness/nodes/Cluster.ts';
import { HandoverFixture } from '../harness/media/HandoverFixture.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { until } from '../harness/until.ts';
import { percentile } from './figures.ts';

const deaths = Number(process.env.BENCH_ROUNDS ?? 20);

/** Kills workers and nodes during a call, and drains nodes. Measures the longest gap that any of the participants sees in a video. */
export async function benchRecovery(): Promise<boolean> {
  const isMet = [await benchWorkers(), await benchNodes(), await benchDraining()];
  return isMet.every(Boolean);
}

async function benchWorkers(): Promise<boolean> {
  const server = await ServerProcess.start({ MEDIA_WORKERS: '2' });
  try {
    const gaps = await measure(server.url, () => {
      killWorkers(server);
      return Promise.resolve(() => Promise.resolve());
    });
    return report('kill -9 of all media workers', gaps, 2_000);
  } finally {
    await server.dispose();
  }
}

async function benchNodes(): Promise<boolean> {
  const cluster = await splitRoles();
  try {
    const gaps = await measure(cluster.url(), async (callId) => {
      const owner = await cluster.mediaNodeOf(callId);
      await owner.server.kill();
      return () => startAgain(cluster, owner);
    });
    return report('kill -9 of the media node', gaps, 3_000);
  } finally {
    await cluster.close();
  }
}

/** Starts a killed node again, so that it can take over the rooms of the node that is killed next. */
async function startAgain(cluster: Cluster, { server }: ClusterNode): Promise<void> {
  await server.start();
  await until(
    () => cluster.withRole('signaling').every((node) => linksOf(node.server) > 1),
    'the node is linked again',
  );
}

/** Two nodes repeatedly hand a call, a room and a stream to each other. The result of each round is the longest gap in any video. */
export async function benchDraining(): Promise<boolean> {
  const fixture = await HandoverFixture.open();
  try {
    const gaps: number[] = [];
    for (let round = 0; round < deaths; round++) {
      const leaving = await fixture.owner;
      const watched = fixture.measure();
      await leaving.server.stop();
      gaps.push(Math.max(...(await watched).map(({ gapMs }) => gapMs)));
      await fixture.restart(leaving);
      process.stdout.write(`\r  drain ${round + 1} of ${deaths}: ${gaps.at(-1)?.toFixed(0)} ms   `);
    }
    const isWhole = await fixture.isCallActive();
    if (!isWhole) console.log('\n  The call did not survive the drains.');
    return report('SIGTERM of a node with a call, a room and a stream', gaps, 500) && isWhole;
  } finally {
    await fixture.close();
  }
}

/** The number of media nodes linked to a signalling node. */
const linksOf = (server: ServerProcess) =>
  server.logged('media node linked').length - server.logged('link closed').length;

/**
 * Kills processes repeatedly during a call, and measures the longest gap in the call's videos each time.
 * @param kill kills the processes, and returns a function that repairs the damage for the next round
 */
async function measure(
  url: string,
  kill: (callId: string) => Promise<() => Promise<void>>,
): Promise<number[]> {
  const browser = await launchChromium();
  try {
    const [alice, bob] = [await openClient(browser, url), await openClient(browser, url)];
    const callId = await makeCall(alice, bob);
    const gaps: number[] = [];
    for (let death = 0; death < deaths; death++) {
      await allReceive(callId, alice, bob);
      const watched = Promise.all([alice, bob].map((client) => watchGap(client, callId)));
      const repair = await kill(callId);
      gaps.push(Math.max(...(await watched)));
      await repair();
      process.stdout.write(`\r  death ${death + 1} of ${deaths}: ${gaps.at(-1)?.toFixed(0)} ms   `);
    }
    return gaps;
  } finally {
    await browser.close();
  }
}

function report(what: string, gaps: number[], goalMs: number): boolean {
  const p95 = percentile(gaps, 0.95);
  const met = p95 <= goalMs;
  const shown = (ms: number) => `${ms.toFixed(0)} ms`;
  console.log(`\n\nGap in the video after ${what}, the slowest side of each round`);
  console.log(
    `  p50 ${shown(percentile(gaps, 0.5))}   p95 ${shown(p95)}   max ${shown(Math.max(...gaps))}   n ${gaps.length}`,
  );
  console.log(`  goal: p95 at most ${goalMs} ms ${met ? 'met' : 'NOT MET'}`);
  return met;
}

/** Kills both workers: the one that has the call, and the one that the call would otherwise move to. */
function killWorkers(server: ServerProcess): void {
  const pids = (message: string) => server.logged(message).map(({ pid }) => Number(pid));
  const dead = new Set(pids('media worker died'));
  for (const pid of pids('media worker started')) if (!dead.has(pid)) process.kill(pid, 'SIGKILL');
}

/** Measures the longest time without a new frame, from now until frames arrive on a new transport. */
function watchGap({ page }: BrowserClient, callId: string): Promise<number> {
  return page.evaluate(async (id) => {
    const frames = async () => {
      const { receiving } = await window.parley.media.stats(id);
      return receiving.reduce(
        (sum, entry) => sum + ((entry as { framesDecoded?: number }).framesDecoded ?? 0),
        0,
      );
    };
    let [last, lastAt, gap, isNew] = [await frames(), performance.now(), 0, false];
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const [now, at] = [await frames(), performance.now()];
      // The counter of a new transport starts at zero.
      isNew ||= now < last;
      if (now > last || (isNew && now > 0)) {
        gap = Math.max(gap, at - lastAt);
        lastAt = at;
        if (isNew) return gap;
      }
      last = now;
    }
  }, callId);
}
