import { Skeleton, Stack, Text } from '@mantine/core';
import type { PhoneNumber, WebhookDelivery } from '@parley/sdk';
import { useState } from 'react';
import type { PagedList } from '../../data/PagedList.ts';
import { useAction } from '../../data/useAction.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { DisabledNotice } from './DisabledNotice.tsx';
import { TestResult } from './TestResult.tsx';
import { useWebhookState } from './useWebhookState.ts';
import { WebhookFacts } from './WebhookFacts.tsx';
import { WebhookTasks } from './WebhookTasks.tsx';

interface Props {
  number: PhoneNumber;
  webhook: NonNullable<PhoneNumber['webhook']>;
  deliveries: PagedList<WebhookDelivery>;
  onEdit: () => void;
  onSecret: (secret: string) => void;
}

/** The settings and state of a webhook, and the actions on it. */
export function WebhookCard({ number, webhook, deliveries, onEdit, onSecret }: Props) {
  const { phone } = useSignedIn();
  const numberId = number.id;
  const { value, isLoading, problem, refresh } = useWebhookState(number, deliveries);
  const [testId, setTestId] = useState<string | null>(null);
  const [asking, setAsking] = useState<'rotate' | 'remove' | null>(null);
  const set = useAction(phone.setWebhook);
  const test = useAction(phone.testWebhook);
  const disabledAt = value?.disabledAt ?? null;
  const tryIt = async () => {
    const delivery = await test.run(numberId);
    if (delivery) setTestId(delivery.id);
    await deliveries.refresh();
  };
  const rotate = async () => {
    const changed = await set.run({ numberId, ...webhook, rotateSecret: true });
    setAsking(null);
    if (changed?.secret) onSecret(changed.secret);
  };
  const remove = async () => {
    await set.run({ numberId, url: null });
    setAsking(null);
  };
  return (
    <Section title="Webhook" testId="webhook">
      <Stack gap="md">
        {problem && <ProblemAlert problem={problem} onRetry={() => void refresh()} />}
        {disabledAt && (
          <DisabledNotice
            since={disabledAt}
            isRunning={set.isRunning}
            onEnable={() => void set.run({ numberId, ...webhook })}
          />
        )}
        <Text ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }} data-testid="webhook-url">
          {webhook.url}
        </Text>
        {!value && isLoading && <Skeleton height={44} radius="md" aria-label="Loading the webhook" />}
        {value && <WebhookFacts state={value} />}
        {value?.setByKey && (
          <Text size="sm" c={value.setByKey.status === 'revoked' ? 'brick' : 'dimmed'}>
            Created with the API key {value.setByKey.prefix}…
            {value.setByKey.status === 'revoked' &&
              ', which is revoked. Remove this webhook if you do not recognize it'}
          </Text>
        )}
        {set.problem && <ProblemAlert problem={set.problem} />}
        {test.problem && <ProblemAlert problem={test.problem} />}
        {testId && <TestResult deliveries={deliveries} id={testId} />}
        <WebhookTasks
          isTesting={test.isRunning}
          canTest={disabledAt === null}
          onTest={() => void tryIt()}
          onEdit={onEdit}
          onRotate={() => setAsking('rotate')}
          onRemove={() => setAsking('remove')}
        />
      </Stack>
      {asking && (
        <ConfirmDialog
          {...questions[asking]}
          isRunning={set.isRunning}
          onDo={() => void (asking === 'rotate' ? rotate() : remove())}
          onClose={() => setAsking(null)}
        />
      )}
    </Section>
  );
}

const questions = {
  rotate: {
    title: 'Create a new secret?',
    action: 'Create secret',
    children:
      'For one day, events are signed with both secrets, so that you can replace the one on your server without losing an event. After that, the old secret is invalid.',
  },
  remove: {
    title: 'Remove this webhook?',
    action: 'Remove webhook',
    isDangerous: true,
    children: 'No more events are sent, and pending retries are cancelled. A new webhook gets a new secret.',
  },
};
