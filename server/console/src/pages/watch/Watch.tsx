import { ProblemAlert, rememberedName, useStore } from '@parley/react';
import type { Guest, Parley } from '@parley/sdk';
import { useEffect, useState } from 'react';
import { usePageTitle } from '../../shell/usePageTitle.ts';
import { WatchController } from '../../streams/watch/WatchController.ts';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { WatchView } from './WatchView.tsx';

interface Props {
  streamId: string;
  /** The viewer token in the link of a private stream. */
  token?: string | null;
  /** null for a viewer with neither a wallet nor a participant token. */
  client: Parley | null;
  /** The wallet, or `guest:…`; null without a client. */
  address: string | null;
  /** What the participant token says; null without one. */
  guest?: Guest | null;
}

/** Opens a stream, and shows it until the viewer leaves the page. */
export function Watch({ streamId, token = null, client, address, guest = null }: Props) {
  const [controller] = useState(
    () => new WatchController({ streamId, token, client, guest, displayName: guest ? '' : rememberedName() }),
  );
  useEffect(() => {
    controller.open();
    const leave = () => controller.close();
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, [controller]);
  const state = useStore(controller.store);
  usePageTitle(state.stream?.title ?? 'Stream');
  if (state.phase === 'failed' && state.problem)
    return <ProblemAlert problem={state.problem} onRetry={() => void controller.retry()} />;
  if (!state.stream) return <LoadingRows what="the stream" rows={2} height={200} />;
  return <WatchView controller={controller} state={state} stream={state.stream} address={address} />;
}
