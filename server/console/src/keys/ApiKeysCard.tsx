import { Button, Text } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useList } from '../data/useList.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { Empty } from '../ui/Empty.tsx';
import { LoadedList } from '../ui/LoadedList.tsx';
import { Section } from '../ui/Section.tsx';
import { CreateKeyDialog } from './CreateKeyDialog.tsx';
import { KeyList } from './KeyList.tsx';

/** The account's API keys, and the dialogs to create, rotate and revoke them. */
export function ApiKeysCard() {
  const { queries, kind } = useSignedIn();
  const list = useList(queries.keys);
  const [isCreating, setIsCreating] = useState(false);
  const isFirst = list.value?.length === 0;
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
      hint="For programs such as a bot, a cron job or a backend. A key cannot create or revoke keys; only you can, on this page."
      tools={!isFirst && create}
      testId="api-keys"
    >
      <LoadedList
        list={list}
        what="your keys"
        rows={2}
        rowHeight={96}
        empty={
          <Empty icon={IconKey} title="No keys yet" action={create}>
            Create one, then send your first request with one line of curl. The default scopes cover common
            needs: read the account, send texts, list and buy numbers.
          </Empty>
        }
        more="Show older keys"
        render={(keys) => <KeyList keys={keys} />}
      />
      {kind === 'throwaway' && !isFirst && (
        <Text size="sm" c="dimmed" mt="md">
          You are signed in with a temporary wallet. When you close this tab, its keys keep working and nobody
          can revoke them. For long-term keys, sign in with your own wallet.
        </Text>
      )}
      {isCreating && <CreateKeyDialog onClose={() => setIsCreating(false)} />}
    </Section>
  );
}
