import { allReceive, launchChromium, makeCall, openClient, type BrowserClient } from '../harness/browser.ts';
import { ServerProcess } from '../harness/ServerProcess.ts';
import { percentile } from './figures.ts';

const deaths = 20;
const goalMs = 2_000;

/** Media workers killed with -9 in the middle of a call: for how long neither picture nor sound moves. */
export async function benchRecovery(): Promise<boolean> {
  const server = await ServerProcess.start({ MEDIA_WORKERS: '2' });
  const browser = await launchChromium();
  try {
    const [alice, bob] = [await openClient(browser, server.url), await openClient(browser, server.url)];
    const callId = await makeCall(alice, bob);
    const gaps: number[] = [];
    for (let death = 0; death < deaths; death++) {
      await allReceive(callId, alice, bob);
      const watched = Promise.all([alice, bob].map((client) => watchGap(client, callId)));
      killWorkers(server);
      gaps.push(Math.max(...(await watched)));
      process.stdout.write(`\r  death ${death + 1} of ${deaths}: ${gaps.at(-1)?.toFixed(0)} ms   `);
    }
    const p95 = percentile(gaps, 0.95);
    const met = p95 <= goalMs;
    console.log(`\n\nGap in the picture after kill -9 of the media worker, the slower of both sides`);
    console.log(
      `  p50 ${percentile(gaps, 0.5).toFixed(0)} ms   p95 ${p95.toFixed(0)} ms   max ${Math.max(...gaps).toFixed(0)} ms   n ${gaps.length}`,
    );
    console.log(`  goal: p95 at most ${goalMs} ms ${met ? 'met' : 'NOT MET'}`);
    return met;
  } finally {
    await browser.close();
    await server.dispose();
  }
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
