import { deferred } from '../deferred.ts';
import { LoadPeer } from '../peers/LoadPeer.ts';
import { LoadWallet } from '../peers/LoadWallet.ts';
import { singleVideo } from '../peers/videos.ts';
import { LoadError } from '../report/describeError.ts';
import type { Measures } from '../report/Measures.ts';
import type { Run } from '../Run.ts';
import type { Scenario } from '../Scenario.ts';

/** How long the callee's device waits until the call rings. */
const ringLimitMs = 20_000;

type Pair = [caller: LoadWallet, callee: LoadWallet];

/** Pairs of wallets that call each other: each call rings, is answered, has media in both directions, and ends. */
export const calls: Scenario = {
  isWanted: (options) => options.calls > 0,

  async run(run, measures) {
    const idle: Pair[] = [];
    const all: LoadWallet[] = [];
    await run.atRate(run.options.calls, { measures, what: 'call' }, async (_index, dueAt) => {
      // A pair that has called is used again. The next call goes in the other direction.
      const known = idle.shift();
      const pair = known ?? (await pairOf(run, measures, all));
      if (!pair) return;
      // Two wallets that had to sign in first call later than their call was due.
      await call(run, measures, pair, known ? dueAt : performance.now());
      idle.push([pair[1], pair[0]]);
    });
    await Promise.all(all.map((wallet) => wallet.close()));
  },
};

async function pairOf(run: Run, measures: Measures, all: LoadWallet[]): Promise<Pair | null> {
  const pair = await Promise.all([LoadWallet.connect(run, measures), LoadWallet.connect(run, measures)]);
  const signedIn = pair.filter((wallet) => wallet !== null);
  all.push(...signedIn);
  return signedIn.length === 2 ? (signedIn as Pair) : null;
}

async function call(run: Run, measures: Measures, [caller, callee]: Pair, startedAt: number): Promise<void> {
  const ring = new Ring(callee);
  const video = singleVideo(run.options);
  const join = (wallet: LoadWallet, id: string, enter: Parameters<typeof LoadPeer.join>[2]['enter']) =>
    LoadPeer.join(
      run,
      { measures, what: wallet === caller ? 'call joined' : 'answer joined' },
      {
        ...video,
        wallet,
        room: { scope: 'call', id },
        enter,
        reenter: () => wallet.ask('calls.rejoin', { callId: id, held: wallet.ids }),
      },
    );
  const started = await measures.attempt(
    'call start',
    () => caller.ask('calls.start', { to: callee.address, type: 'video' }),
    startedAt,
  );
  if (!started) return ring.forget();
  const callId = started.id;
  const peers: LoadPeer[] = [];
  // It may ring before the answer to the caller.
  const rangAt = await ring.at;
  if (rangAt === null) measures.fail('call ring', new LoadError('no_ring', 'the callee did not ring'));
  else {
    measures.time('call ring', rangAt - startedAt);
    const joined = await Promise.all([
      join(caller, callId, () => Promise.resolve({})),
      join(callee, callId, (media) => callee.ask('calls.answer', { callId, media })),
    ]);
    peers.push(...joined.filter((peer) => peer !== null));
    if (peers.length === 2) {
      measures.count('calls');
      measures.time('call set up', performance.now() - startedAt);
      await run.pause(run.options.callSeconds * 1_000);
      if (run.options.callSeconds >= 5) for (const peer of peers) peer.watch.end();
    }
  }
  await Promise.all(peers.map((peer) => peer.leave()));
  await caller.ask('calls.end', { callId }).catch((error: unknown) => measures.fail('call end', error));
}

/** The ringing of the callee's device. */
class Ring {
  /** Resolves with the time at which it rings; null if it does not, or is forgotten. */
  readonly at: Promise<number | null>;
  readonly forget: () => void;

  constructor(callee: LoadWallet) {
    const { promise, resolve } = deferred<number | null>();
    this.forget = () => resolve(null);
    const stop = callee.on('call:incoming', () => resolve(performance.now()));
    const timer = setTimeout(this.forget, ringLimitMs);
    this.at = promise.finally(() => {
      clearTimeout(timer);
      stop();
    });
  }
}
