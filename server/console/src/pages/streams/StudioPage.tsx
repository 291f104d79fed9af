import { Studio } from '@parley/react';
import type { LiveStream } from '@parley/sdk';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { usePageTitle } from '../../shell/usePageTitle.ts';
import { useGuardedTab } from '../../ui/useGuardedTab.ts';

/** The studio, which is the host's page of a stream. */
export function StudioPage({ streamId }: { streamId: string }) {
  const [, navigate] = useLocation();
  const [stream, setStream] = useState<LiveStream | null>(null);
  const [isSending, setSending] = useState(false);
  usePageTitle(stream?.title ?? 'Stream');
  useGuardedTab(isSending);
  return (
    <Studio
      id={streamId}
      back={
        <Button component={Link} href="/streams" variant="default" data-testid="to-my-streams">
          Your streams
        </Button>
      }
      onForeign={() => navigate(`/watch/${streamId}`, { replace: true })}
      onChange={({ stream: changed, sending }) => {
        setStream(changed);
        setSending(sending !== 'no');
      }}
    />
  );
}
