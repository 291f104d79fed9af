import { allReceive, launchChromium, makeCall, openClient, type BrowserClient } from '../harness/browser.ts';
import { splitRoles, type Cluster, type ClusterNode } from '../harness/Cluster.ts';
import { ServerProcess } from '../harness/ServerProcess.ts';
import { until } from '../harness/until.ts';
import { percentile } from './figures.ts';

const deaths = Number(process.env.BENCH_ROUNDS ?? 20);

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
    const isMet = report('kill -9 of the media node', gaps, 3_000);
    return (await benchDraining(cluster)) && isMet;
  } finally {
    await cluster.close();
  }
}

/** The next one to die needs somebody to take its rooms. */
async function startAgain(cluster: Cluster, { server }: ClusterNode): Promise<void> {
  await server.start();
  await until(
    () => cluster.withRole('signaling').every((node) => linksOf(node.server) > 1),
    'the node linked again',
  );
}

async function benchDraining(cluster: Cluster): Promise<boolean> {
  const gaps = await measure(
    cluster.url(),
    async (callId) => {
      const owner = await cluster.mediaNodeOf(callId);
      await owner.server.stop();
      return () => startAgain(cluster, owner);
    },
    watchShown,
  );
  return report('SIGTERM of the media node, as seen', gaps, 500);
}

/** Media nodes a signalling node sees: those that joined, less those that died. */
const linksOf = (server: ServerProcess) =>
  server.logged('linked to a media node').length - server.logged('link closed').length;

/** @param kill kills, and gives what sets things right for the next round */
async function measure(
  url: string,
  kill: (callId: string) => Promise<() => Promise<void>>,
  watch: (client: BrowserClient, callId: string) => Promise<number> = watchGap,
): Promise<number[]> {
  const browser = await launchChromium();
  try {
    const [alice, bob] = [await openClient(browser, url), await openClient(browser, url)];
    const callId = await makeCall(alice, bob);
    const gaps: number[] = [];
    for (let death = 0; death < deaths; death++) {
      await allReceive(callId, alice, bob);
      const watched = Promise.all([alice, bob].map((client) => watch(client, callId)));
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
  console.log(`\n\nGap in the picture after ${what}, the slower of both sides`);
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

/** The longest time without a new frame on the screen, over the next four seconds and until the room has moved. */
function watchShown({ page }: BrowserClient): Promise<number> {
  return page.evaluate(async () => {
    const began = performance.now();
    const video = document.querySelector('video') as HTMLVideoElement;
    const shownTrack = () => (video.srcObject as MediaStream).getVideoTracks()[0]?.id;
    const firstTrack = shownTrack();
    let [lastAt, gap] = [performance.now(), 0];
    const onFrame = () => {
      gap = Math.max(gap, performance.now() - lastAt);
      lastAt = performance.now();
      video.requestVideoFrameCallback(onFrame);
    };
    video.requestVideoFrameCallback(onFrame);
    while (performance.now() - began < 4_000 || shownTrack() === firstTrack) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (performance.now() - began > 20_000) break;
    }
    return Math.max(gap, performance.now() - lastAt);
  });
}
