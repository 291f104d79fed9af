import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { ProblemAlert } from '@parley/react';
import type { AccountExport } from '@parley/sdk';
import { IconDownload, IconFileZip, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { LoadedValue } from '../../ui/LoadedValue.tsx';
import { onDay } from '../../ui/numbers.ts';
import { Section } from '../../ui/Section.tsx';
import { DeleteAccountDialog } from './DeleteAccountDialog.tsx';

/** The export and the deletion of the account. */
export function YourDataCard() {
  const { queries } = useSignedIn();
  const [isAsking, setIsAsking] = useState(false);
  const [isRunning, setIsRunning] = useState(true);
  const exported = useLoaded(queries.export, { everyMs: isRunning && 1_000 });
  const deletion = useLoaded(queries.deletion);
  const runs = exported.value?.latest?.status === 'running';
  if (exported.value && runs !== isRunning) setIsRunning(runs);
  return (
    <Section
      title="Your data"
      hint="An archive has everything this server keeps about you: messages, calls, files and the rest."
      testId="your-data"
    >
      <Stack gap="md">
        <LoadedValue of={exported} what="your exports" rowHeight={40}>
          {({ latest }) => <Archive latest={latest} />}
        </LoadedValue>
        {deletion.value && !deletion.value.requested && (
          <div>
            <Button
              variant="subtle"
              color="brick"
              leftSection={<IconTrash size={18} />}
              onClick={() => setIsAsking(true)}
              data-testid="delete-account"
            >
              Delete account…
            </Button>
          </div>
        )}
      </Stack>
      {isAsking && <DeleteAccountDialog onClose={() => setIsAsking(false)} />}
    </Section>
  );
}

function Archive({ latest }: { latest: AccountExport | null }) {
  const { client } = useSignedIn();
  const start = useAction(() => client.account.startExport(), { refreshes: ['account'] });
  if (latest?.status === 'running')
    return (
      <Stack gap="xs" data-testid="export-running">
        <Text size="sm">
          Preparing your archive: {latest.done} of {latest.total} parts. You may leave this page.
        </Text>
        <Progress value={latest.total === 0 ? 0 : (latest.done / latest.total) * 100} aria-label="Progress" />
      </Stack>
    );
  const isReady = latest?.status === 'ready' && latest.url !== null;
  return (
    <Stack gap="sm">
      {latest?.status === 'failed' && (
        <Text size="sm">
          The last archive could not be prepared. Try again, or ask the operator of this server.
        </Text>
      )}
      {isReady && latest.expiresAt && (
        <Text size="sm">
          Your archive of {onDay(latest.requestedAt)} is ready. It is deleted on {onDay(latest.expiresAt)}.
        </Text>
      )}
      <Group gap="sm">
        {isReady && (
          <Button
            component="a"
            href={latest.url ?? ''}
            download
            leftSection={<IconDownload size={18} />}
            data-testid="download-export"
          >
            Download ({sizeOf(latest.size ?? 0)})
          </Button>
        )}
        <Button
          variant="default"
          leftSection={<IconFileZip size={18} />}
          loading={start.isRunning}
          onClick={() => void start.run()}
          data-testid="start-export"
        >
          {isReady ? 'Prepare a new archive' : 'Prepare an archive'}
        </Button>
      </Group>
      {start.problem && <ProblemAlert problem={start.problem} />}
    </Stack>
  );
}

const sizeOf = (bytes: number) =>
  bytes < 1_000_000
    ? `${Math.ceil(bytes / 1_000)} kB`
    : `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
