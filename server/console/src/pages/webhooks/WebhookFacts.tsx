import { Text } from '@mantine/core';
import type { WebhookState } from '@parley/sdk';
import phoneClasses from '../../phone/Phone.module.css';
import { Ago } from '../../ui/Ago.tsx';
import { atMoment } from '../../ui/numbers.ts';

export function WebhookFacts({ state }: { state: WebhookState }) {
  const { events, updatedAt, previousSecretUntil, setByKey } = state;
  return (
    <>
      <dl className={phoneClasses['facts']}>
        <div>
          <dt>Events</dt>
          <dd data-testid="webhook-events">{events.join(', ')}</dd>
        </div>
        <div>
          <dt>Changed</dt>
          <dd>
            <Ago at={updatedAt} />
          </dd>
        </div>
        {previousSecretUntil && (
          <div data-testid="previous-secret">
            <dt>Events are also signed with the previous secret until</dt>
            <dd>{atMoment(previousSecretUntil)}</dd>
          </div>
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
