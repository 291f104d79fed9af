import { Box, Button } from '@mantine/core';
import { IconMessages, IconPencil } from '@tabler/icons-react';
import { Link, useParams, useSearchParams } from 'wouter';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { Conversation } from './Conversation.tsx';
import classes from '../../conversation/Conversation.module.css';
import { NewConversation } from './NewConversation.tsx';
import { counterpartyIn } from './pathOfThread.ts';
import { ThreadItem } from './ThreadItem.tsx';

const refreshMs = 4_000;

/** SMS conversations: the list and the open conversation, or one of the two on a phone. */
export function TextsPage() {
  const { queries } = useSignedIn();
  const { counterparty } = useParams<{ counterparty?: string }>();
  const [parameters] = useSearchParams();
  const threads = useList(queries.threads, { everyMs: refreshMs });
  // Loaded to know whether a thread's number still belongs to the account.
  useList(queries.numbers);
  const isNew = counterparty === 'new';
  const other = counterparty !== undefined && !isNew ? counterpartyIn(counterparty) : null;
  // If the URL does not contain the account's number, that of the latest thread with this counterparty is used.
  const number =
    parameters.get('number') ?? threads.value?.find((thread) => thread.counterparty === other)?.number;
  const write = (
    <Button component={Link} href="/texts/new" leftSection={<IconPencil size={18} />} data-testid="write">
      New message
    </Button>
  );
  return (
    <div className={classes['page']} data-open={isNew || other !== null}>
      <div className={classes['threads']}>
        <header className={classes['top']}>
          <h1>SMS</h1>
          {write}
        </header>
        <LoadedList
          list={threads}
          what="your conversations"
          rows={5}
          empty={
            <Empty icon={IconMessages} title="No messages yet">
              Send the first one from your own number or from a shared number. Replies appear here.
            </Empty>
          }
          more="Show older conversations"
          className={classes['list']}
        >
          {(thread) => (
            <ThreadItem
              key={thread.id}
              thread={thread}
              isOpen={thread.counterparty === other && thread.number === number}
            />
          )}
        </LoadedList>
      </div>
      <section className={`parley-card ${classes['conversation']}`} aria-label="Conversation">
        {isNew && <NewConversation />}
        {other && number && <Conversation key={`${other} ${number}`} counterparty={other} number={number} />}
        {!isNew && !(other && number) && (
          <Box m="auto">
            <Empty icon={IconMessages} title="No conversation selected">
              Choose a conversation or start a new one.
            </Empty>
          </Box>
        )}
      </section>
    </div>
  );
}
