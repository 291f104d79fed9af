import { Studio } from '@parley/react';
import type { LiveStream } from '@parley/sdk';
import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
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
        <Group gap="xs">
          {stream?.status === 'ended' && stream.record && <ToRecording streamId={streamId} />}
          <Button component={Link} href="/streams" variant="default" data-testid="to-my-streams">
            Your streams
          </Button>
        </Group>
      }
      onForeign={() => navigate(`/watch/${streamId}`, { replace: true })}
      onChange={({ stream: changed, sending }) => {
        setStream(changed);
        setSending(sending !== 'no');
      }}
    />
  );
}

/** A link to the recording of an ended stream, if there is one. */
function ToRecording({ streamId }: { streamId: string }) {
  const { value } = useLoaded(useSignedIn().queries.recordingsOfStream(streamId));
  const [recording] = value ?? [];
  return (
    recording && (
      <Button
        component={Link}
        href={`/recordings?recording=${recording.id}`}
        variant="light"
        data-testid="to-recording"
      >
        Recording
      </Button>
    )
  );
}
