import { Bubbles } from '@parley/react';
import { Flex, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { refresh } from '../../data/refresh.ts';
import { useList } from '../../data/useList.ts';
import { formatPhoneNumber } from '../../phone/phoneNumbers.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { LoadedValue } from '../../ui/LoadedValue.tsx';
import { BackToThreads } from '../../conversation/BackToThreads.tsx';
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
  const { queries } = useSignedIn();
  const queryClient = useQueryClient();
  const list = useList(queries.texts(counterparty, number), { everyMs: refreshMs });
  // Loading a conversation marks it as read, so the unread counts are loaded again.
  const latest = list.value?.[0]?.id;
  useEffect(() => {
    if (latest) void refresh(queryClient, 'threads');
  }, [queryClient, latest]);
  const { value: numbers } = useList(queries.numbers, { isRead: false });
  const own = numbers?.find(({ phoneNumber }) => phoneNumber === number);
  const isInactive = own !== undefined && own.status !== 'active';
  return (
    <>
      <Flex component="header" align="center" gap="xs">
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
      </Flex>
      <LoadedValue of={list} what="the messages" rows={4} rowHeight={44}>
        {(messages) => (
          <Bubbles messages={messages} writtenAt={({ createdAt }) => createdAt} older={list}>
            {(message) => <Bubble message={message} />}
          </Bubbles>
        )}
      </LoadedValue>
      {!counterparty.startsWith('+') ? (
        <Text size="sm" c="dimmed" className={classes['silent'] ?? ''}>
          This sender has no phone number, so you cannot write to it.
        </Text>
      ) : isInactive ? (
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
        numbers !== null && <Composer to={counterparty} from={number} />
      )}
    </>
  );
}
