import { Button, Text } from '@mantine/core';
import { useEffect, useMemo } from 'react';
import { Link } from 'wouter';
import { useLoaded } from '../../data/useLoaded.ts';
import { useRefreshEvery } from '../../data/useRefreshEvery.ts';
import { formatPhoneNumber } from '../../phone/phoneNumbers.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { useStore } from '../../session/Store.ts';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { BackToThreads } from '../../conversation/BackToThreads.tsx';
import { Bubbles } from '../../conversation/Bubbles.tsx';
import { Bubble } from './Bubble.tsx';
import { Composer } from './Composer.tsx';
import classes from '../../conversation/Conversation.module.css';

const refreshMs = 2_500;

interface Props {
  counterparty: string;
  /** The number on the account's side: one of its own numbers or a shared one. */
  number: string;
}

/** The texts between two numbers, and the composer. */
export function Conversation({ counterparty, number }: Props) {
  const { phone } = useSignedIn();
  const list = useMemo(() => phone.conversation(counterparty, number), [phone, counterparty, number]);
  const { items, hasMore, isLoading, isLoadingMore, problem } = useLoaded(list);
  useRefreshEvery(refreshMs, list.refresh);
  // Loading a conversation marks it as read, so the unread counts are loaded again.
  const latest = items?.[0]?.id;
  useEffect(() => {
    if (latest) void phone.threads.refresh();
  }, [phone, latest]);
  const numbers = useStore(phone.numbers.store).items;
  const own = numbers?.find(({ phoneNumber }) => phoneNumber === number);
  const isInactive = own !== undefined && own.status !== 'active';
  return (
    <>
      <header className={classes['heading']}>
        <BackToThreads href="/texts" />
        <div>
          <h2 className={classes['name']} data-testid="conversation-with">
            {formatPhoneNumber(counterparty)}
          </h2>
          <Text size="xs" c="dimmed">
            with {formatPhoneNumber(number)}
            {numbers !== null && (own ? ', your number' : ', a shared number')}
          </Text>
        </div>
      </header>
      {problem && <ProblemAlert problem={problem} onRetry={() => void list.refresh()} />}
      {items === null && isLoading && <LoadingRows what="the messages" rows={4} height={44} />}
      {items !== null && (
        <Bubbles
          messages={items}
          writtenAt={({ createdAt }) => createdAt}
          earlier={
            hasMore && (
              <Button
                variant="default"
                size="compact-md"
                loading={isLoadingMore}
                onClick={() => void list.more()}
                data-testid="earlier"
              >
                Show older messages
              </Button>
            )
          }
        >
          {(message) => <Bubble message={message} />}
        </Bubbles>
      )}
      {isInactive ? (
        <Text size="sm" c="dimmed" className={classes['silent'] ?? ''}>
          {own.status === 'expired' ? (
            <>
              This number has expired: <Link href="/numbers">renew it</Link> to write.
            </>
          ) : (
            <>
              You released this number.{' '}
              <Link href={`/texts/new?to=${encodeURIComponent(counterparty)}`}>
                Write from another number
              </Link>
              .
            </>
          )}
        </Text>
      ) : (
        numbers !== null && <Composer to={counterparty} from={number} onSent={() => void list.refresh()} />
      )}
    </>
  );
}
