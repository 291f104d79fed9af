import { useParams } from 'wouter';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { NoWallet } from '../calls/NoWallet.tsx';
import { NewStream } from './NewStream.tsx';
import { StreamList } from './StreamList.tsx';
import { StudioPage } from './StudioPage.tsx';

/** Live streams: the list, a new stream, or the studio of one. */
export function StreamsPage() {
  const { wallet } = useSignedIn();
  const { stream } = useParams<{ stream?: string }>();
  if (!wallet) {
    return (
      <NoWallet title="Streams need a wallet">
        A stream belongs to a wallet, and your account has no wallet yet. Link one on your profile page.
      </NoWallet>
    );
  }
  if (stream === undefined) return <StreamList />;
  if (stream === 'new') return <NewStream />;
  return <StudioPage key={stream} streamId={stream} />;
}
