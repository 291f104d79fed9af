import { useParams } from 'wouter';
import { NewStream } from './NewStream.tsx';
import { StreamList } from './StreamList.tsx';
import { StudioPage } from './StudioPage.tsx';

/** Live streams: the list, a new stream, or the studio of one. */
export function StreamsPage() {
  const { stream } = useParams<{ stream?: string }>();
  if (stream === undefined) return <StreamList />;
  if (stream === 'new') return <NewStream />;
  return <StudioPage key={stream} streamId={stream} />;
}
