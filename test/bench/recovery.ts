import { allReceive, launchChromium, makeCall, openClient, type BrowserClient } from '../harness/browser.ts';
import { splitRoles } from '../harness/Cluster.ts';
import { ServerProcess } from '../harness/ServerProcess.ts';
import { until } from '../harness/until.ts';
import { percentile } from './figures.ts';

const deaths = 20;

/** Kills in the middle of a call: for how long neither picture nor sound moves, on the slower side. */
export async function benchRecovery(): Promise<boolean> {
  return (await benchWorkers()) && (await benchNodes());
}

async function benchWorkers(): Promise<boolean> {
  const server = await ServerProcess.start({ MEDIA_WORKERS: '2' });
  try {
    const gaps = await measure(server.url, () => {
      killWorkers(server);
      return Promise.resolve(() => Promise.resolve());
    });
    return report('all media workers', gaps, 2_000);
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
      return async () => {
        await owner.server.start();
        // The next one to die needs somebody to take its rooms.
        await until(
          () => cluster.withRole('signaling').every(({ server }) => linksOf(server) > 1),
          'the node linked again',
        );
      };
    });
    return report('the media node', gaps, 3_000);
  } finally {
    await cluster.close();
  }
}

/** Media nodes a signalling node sees: those that joined, less those that died. */
const linksOf = (server: ServerProcess) =>
  server.logged('linked to a media node').length - server.logged('link closed').length;

/** @param kill kills, and gives what sets things right for the next round */
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
      const mend = await kill(callId);
      gaps.push(Math.max(...(await watched)));
      await mend();
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
  console.log(`\n\nGap in the picture after kill -9 of ${what}, the slower of both sides`);
  console.log(
    `  p50 ${shown(percentile(gaps, 0.5))}   p95 ${shown(p95)}   max ${shown(Math.max(...gaps))}   n ${gaps.length}`,
  );
  console.log(`  goal: p95 at most ${goalMs} ms ${met ? 'met' : 'NOT MET'}`);
  return met;
}

/** Both workers: whichever has the call, and the one it would move to. */
function killWorkers(server: ServerProcess): void {
  const pids = (message: string) => server.logged(message).map(({ pid }) => Number(pid));
  const dead = new Set(pids('media worker died'));
  for (const pid of pids('media worker started')) if (!dead.has(pid)) process.kill(pid, 'SIGKILL');
}

/** The longest time without a new frame, from now until frames come on a new transport. */
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
      // A new transport counts from nothing.
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
