import { LoadPeer } from '../peers/LoadPeer.ts';
import { LoadWallet } from '../peers/LoadWallet.ts';
import { singleVideo } from '../peers/videos.ts';
import { WhepViewer } from '../peers/WhepViewer.ts';
import type { Measures } from '../report/Measures.ts';
import type { Run } from '../Run.ts';
import type { Scenario } from '../Scenario.ts';

interface Stream {
  id: string;
  whepUrl: string;
  /** With this token anybody may watch the stream, which is private so that no list shows it. */
  token: string;
}

/** A stream of a synthetic publisher, and its viewers by the SDK's protocol and by WHEP. */
export const viewers: Scenario = {
  isWanted: (options) => options.viewers + options.whep > 0,

  async run(run, measures) {
    const host = await LoadWallet.connect(run, measures);
    if (!host) return;
    const stream = await open(run, measures, host);
    if (stream) {
      const publisher = await publish(run, measures, host, stream);
      if (publisher) await watch(run, measures, stream);
      await publisher?.leave();
      await host
        .ask('streaming.end', { streamId: stream.id })
        .catch((error: unknown) => measures.fail('end stream', error));
    }
    await host.close();
  },
};

async function open(run: Run, measures: Measures, host: LoadWallet): Promise<Stream | undefined> {
  return measures.attempt('create stream', async () => {
    const { id, whepUrl } = await host.ask('streaming.create', { title: 'Load test', isPublic: false });
    const { token } = await host.ask('streaming.getViewerToken', { streamId: id });
    // The address that the server gives may be that of a load balancer.
    return { id, token, whepUrl: new URL(new URL(whepUrl).pathname, run.url).href };
  });
}

function publish(run: Run, measures: Measures, wallet: LoadWallet, { id }: Stream): Promise<LoadPeer | null> {
  return LoadPeer.join(
    run,
    { measures, what: 'publish' },
    {
      ...singleVideo(run.options),
      wallet,
      room: { scope: 'stream', id },
      enter: (media) => wallet.ask('streaming.start', { streamId: id, media }),
      reenter: () => wallet.ask('streaming.start', { streamId: id, held: wallet.ids }),
    },
  );
}

async function watch(run: Run, measures: Measures, stream: Stream): Promise<void> {
  const { viewers: bySdk, whep } = run.options;
  const wallets: LoadWallet[] = [];
  const watching: (LoadPeer | WhepViewer)[] = [];
  await run.ramp(bySdk + whep, async (index) => {
    // Both kinds come in turns, as far as there are as many of each.
    const isWhep = index < 2 * Math.min(bySdk, whep) ? index % 2 === 1 : whep > bySdk;
    if (isWhep) {
      const viewer = await WhepViewer.open(run, measures, stream.whepUrl, stream.token);
      if (viewer) watching.push(viewer);
      if (viewer) measures.count('viewers by WHEP');
      return;
    }
    const wallet = await LoadWallet.connect(run, measures);
    if (!wallet) return;
    wallets.push(wallet);
    const viewer = await view(run, measures, wallet, stream);
    if (viewer) watching.push(viewer);
    if (viewer) measures.count('viewers by the SDK');
  });
  await run.untilOver();
  for (const viewer of watching) viewer.watch.end();
  await Promise.all(watching.map((viewer) => viewer.leave()));
  await Promise.all(wallets.map((wallet) => wallet.close()));
}

function view(
  run: Run,
  measures: Measures,
  wallet: LoadWallet,
  { id, token }: Stream,
): Promise<LoadPeer | null> {
  let place: string | undefined;
  return LoadPeer.join(
    run,
    { measures, what: 'watch' },
    {
      ...singleVideo(run.options),
      layers: [],
      wallet,
      room: { scope: 'stream', id },
      async enter(media) {
        const answer = await wallet.ask('streaming.watch', { streamId: id, token, media });
        place = answer.place;
        return answer;
      },
      reenter: () => wallet.ask('streaming.watch', { streamId: id, token, place }),
    },
  );
}
