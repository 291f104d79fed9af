import { Flex, NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useList } from '../../data/useList.ts';
import phoneClasses from '../../phone/Phone.module.css';
import { parsePhoneNumber, countryOf, nameOfCountry, formatPhoneNumber } from '../../phone/phoneNumbers.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { BackToThreads } from '../../conversation/BackToThreads.tsx';
import { useNavigateHere } from '../../ui/useNavigateHere.ts';
import { Composer } from './Composer.tsx';
import classes from '../../conversation/Conversation.module.css';
import { pathOfThread } from './pathOfThread.ts';

/** Starts a conversation: asks for the recipient and the number to send from. */
export function NewConversation() {
  const navigate = useNavigateHere();
  const [parameters] = useSearchParams();
  const { value: items } = useList(useSignedIn().queries.numbers, { isRead: false });
  const own = (items ?? []).filter(({ status, capabilities }) => status === 'active' && capabilities.sms);
  const [typed, setTyped] = useState(parameters.get('to') ?? '');
  const [wasTried, setWasTried] = useState(false);
  const [chosen, setChosen] = useState(parameters.get('from'));
  const from = own.find(({ phoneNumber }) => phoneNumber === chosen) ?? (chosen === '' ? undefined : own[0]);
  const to = parsePhoneNumber(typed, from?.country);
  const country = to && countryOf(to);
  const check = () => {
    setWasTried(true);
    return to !== null;
  };
  return (
    <>
      <Flex component="header" align="center" gap="xs">
        <BackToThreads href="/texts" />
        <h2 className={classes['name']}>New message</h2>
      </Flex>
      <div className={classes['newFields']}>
        <div className={phoneClasses['fields']}>
          <TextInput
            label="To"
            type="tel"
            placeholder="+1 202 555 0143"
            description={
              to
                ? `${formatPhoneNumber(to)}${country ? `, ${nameOfCountry(country)}` : ''}`
                : 'Include the country code.'
            }
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            error={wasTried && !to && 'Enter a phone number that starts with + and the country code.'}
            autoFocus
            autoComplete="tel"
            data-testid="to"
          />
          <NativeSelect
            label="From"
            description={
              from
                ? 'Replies come to this number.'
                : 'The server chooses the number. A reply goes to the person who wrote from it last.'
            }
            data={[
              ...own.map(({ phoneNumber }) => ({
                value: phoneNumber,
                label: formatPhoneNumber(phoneNumber),
              })),
              { value: '', label: 'A shared number' },
            ]}
            value={from?.phoneNumber ?? ''}
            onChange={(event) => setChosen(event.currentTarget.value)}
            data-testid="from"
          />
        </div>
        {items !== null && own.length === 0 && (
          <Text size="sm" c="dimmed">
            With <Link href="/numbers">a number of your own</Link> people recognize you and can text you
            first.
          </Text>
        )}
      </div>
      <Composer
        to={to}
        from={from?.phoneNumber}
        check={check}
        onSent={(sender) => to && navigate(pathOfThread(to, sender))}
      />
    </>
  );
}
