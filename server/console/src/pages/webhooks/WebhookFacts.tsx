import { Ago } from '@parley/react';
import { Text } from '@mantine/core';
import type { WebhookState } from '@parley/sdk';
import phoneClasses from '../../phone/Phone.module.css';
import { Fact } from '../../ui/Fact.tsx';
import { atMoment } from '../../ui/numbers.ts';

export function WebhookFacts({ state }: { state: WebhookState }) {
  const { events, updatedAt, previousSecretUntil, setByKey } = state;
  return (
    <>
      <dl className={phoneClasses['facts']}>
        <Fact name="Events" testId="webhook-events">
          {events.join(', ')}
        </Fact>
        <Fact name="Changed">
          <Ago at={updatedAt} />
        </Fact>
        {previousSecretUntil && (
          <Fact name="Events are also signed with the previous secret until" testId="previous-secret">
            {atMoment(previousSecretUntil)}
          </Fact>
        )}
      </dl>
      {setByKey && (
        <Text size="sm" c={setByKey.status === 'revoked' ? 'brick' : 'dimmed'}>
          Created with the API key {setByKey.prefix}…
          {setByKey.status === 'revoked' &&
            ', which is revoked. Remove this webhook if you do not recognize it'}
        </Text>
      )}
    </>
  );
}
