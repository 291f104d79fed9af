import { Button, Text } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useLoaded } from '../data/useLoaded.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { Empty } from '../ui/Empty.tsx';
import { LoadingRows } from '../ui/LoadingRows.tsx';
import { ProblemAlert } from '../ui/ProblemAlert.tsx';
import { Section } from '../ui/Section.tsx';
import { CreateKeyDialog } from './CreateKeyDialog.tsx';
import { KeyList } from './KeyList.tsx';

/** The account's API keys, and a way to each thing that can be done with one. */
export function ApiKeysCard() {
  const { account, kind } = useSignedIn();
  const { items, hasMore, isLoading, isLoadingMore, problem } = useLoaded(account.keys);
  const [isCreating, setIsCreating] = useState(false);
  const isFirst = items?.length === 0;
  const create = (
    <Button
      leftSection={isFirst ? <IconKey size={18} /> : <IconPlus size={18} />}
      onClick={() => setIsCreating(true)}
      data-testid="create-key"
    >
      {isFirst ? 'Create your first key' : 'Create key'}
    </Button>
  );
  return (
    <Section
      title="API keys"
      hint="For programs that run without you: a bot, a cron job, a backend. A key can’t manage keys; only you can, here."
      tools={!isFirst && create}
      testId="api-keys"
    >
      {problem && <ProblemAlert problem={problem} onRetry={() => void account.keys.refresh()} />}
      {items === null && isLoading && <LoadingRows what="your keys" rows={2} height={96} />}
      {isFirst && (
        <Empty icon={IconKey} title="No keys yet" action={create}>
          Create one, and your first request is a line of curl away. It starts with what most need: read the
          account, send texts, see and buy numbers.
        </Empty>
      )}
      {items !== null && items.length > 0 && <KeyList keys={items} />}
      {hasMore && (
        <Button
          variant="default"
          fullWidth
          mt="sm"
          loading={isLoadingMore}
          onClick={() => void account.keys.more()}
        >
          Show earlier keys
        </Button>
      )}
      {kind === 'throwaway' && !isFirst && (
        <Text size="sm" c="dimmed" mt="md">
          You are signed in with a throw-away wallet: once this tab is closed, its keys work on, and nobody
          can revoke them any more. Use a wallet of your own for keys that last.
        </Text>
      )}
      {isCreating && <CreateKeyDialog onClose={() => setIsCreating(false)} />}
    </Section>
  );
}
