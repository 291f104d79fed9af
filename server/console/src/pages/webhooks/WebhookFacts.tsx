import { Text } from '@mantine/core';
import type { WebhookState } from '@parley/sdk';
import type { ReactNode } from 'react';
import phoneClasses from '../../phone/Phone.module.css';
import { Fact } from '../../ui/Fact.tsx';
import { atMoment } from '../../ui/numbers.ts';

interface Props extends Pick<WebhookState, 'previousSecretUntil' | 'setByKey'> {
  /** `webhook` of a number, or `endpoint` of the account. */
  of: 'webhook' | 'endpoint';
  events: string;
  children: ReactNode;
}

/** The facts about a webhook. @param children further facts */
export function WebhookFacts({ of, events, previousSecretUntil, setByKey, children }: Props) {
  return (
    <>
      <dl className={phoneClasses['facts']}>
        <Fact name="Events" testId={`${of}-events`}>
          {events}
        </Fact>
        {children}
        {previousSecretUntil && (
          <Fact name="Events are also signed with the previous secret until" testId="previous-secret">
            {atMoment(previousSecretUntil)}
          </Fact>
        )}
      </dl>
      {setByKey && (
        <Text size="sm" c={setByKey.status === 'revoked' ? 'brick' : 'dimmed'}>
          {of === 'webhook' ? 'Created' : 'Last changed'} with the API key {setByKey.prefix}…
          {setByKey.status === 'revoked' &&
            `, which is revoked. Remove this ${of} if you do not recognize it`}
        </Text>
      )}
    </>
  );
}
