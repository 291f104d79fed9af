import { rememberedName, Stream, useSession } from '@parley/react';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { usePageTitle } from '../../shell/usePageTitle.ts';
import { ChooseWallet } from './ChooseWallet.tsx';

interface Props {
  streamId: string;
  /** The viewer token in the link of a private stream. */
  token?: string | null;
}

/** A stream with the console's links around it. */
export function WatchedStream({ streamId, token = null }: Props) {
  const [title, setTitle] = useState('Stream');
  const { guest } = useSession();
  usePageTitle(title);
  return (
    <Stream
      id={streamId}
      token={token}
      displayName={guest ? '' : rememberedName()}
      signIn={<ChooseWallet />}
      toStudio={
        <Button component={Link} href={`/streams/${streamId}`} variant="light">
          Manage stream
        </Button>
      }
      afterEnd={
        <Button component={Link} href="/streams" variant="default" size="compact-md" fz="sm">
          Other live streams
        </Button>
      }
      onChange={({ stream }) => setTitle(stream?.title ?? 'Stream')}
    />
  );
}
