import { Ago, ProblemAlert } from '@parley/react';
import { Stack, Text } from '@mantine/core';
import type { NewWebhook, PhoneNumber, Webhook } from '@parley/sdk';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Fact } from '../../ui/Fact.tsx';
import { LoadedValue } from '../../ui/LoadedValue.tsx';
import { atMoment } from '../../ui/numbers.ts';
import { Section } from '../../ui/Section.tsx';
import { DisabledNotice } from './DisabledNotice.tsx';
import { RotateSecretDialog } from './RotateSecretDialog.tsx';
import { TestResult } from './TestResult.tsx';
import { useWebhookState } from './useWebhookState.ts';
import { WebhookFacts } from './WebhookFacts.tsx';
import { WebhookTasks } from './WebhookTasks.tsx';

interface Props {
  number: PhoneNumber;
  webhook: NonNullable<PhoneNumber['webhook']>;
  onEdit: () => void;
  onSecret: (secret: string) => void;
}

/** The settings and state of a webhook, and the actions on it. */
export function WebhookCard({ number, webhook, onEdit, onSecret }: Props) {
  const { client, queries } = useSignedIn();
  const numberId = number.id;
  const state = useWebhookState(numberId);
  const [testId, setTestId] = useState<string | null>(null);
  const [asking, setAsking] = useState<'rotate' | 'remove' | null>(null);
  const set = (changed: Partial<NewWebhook>) =>
    client.numbers.setWebhook({ numberId, ...webhook, ...changed });
  const enable = useAction(() => set({}), { refreshes: ['webhooks', 'numbers'] });
  const rotate = useAction(() => set({ rotateSecret: true }), { refreshes: ['webhooks', 'numbers'] });
  // The removed webhook is not read again.
  const remove = useAction(() => client.numbers.setWebhook({ numberId, url: null }), {
    refreshes: ['numbers'],
  });
  const test = useAction(() => client.numbers.testWebhook({ numberId }), { refreshes: ['webhooks'] });
  const problem = enable.problem ?? test.problem;
  const disabledAt = state.value?.disabledAt ?? null;
  const close = () => setAsking(null);
  const showSecret = ({ secret }: Webhook) => {
    close();
    if (secret) onSecret(secret);
  };
  const tryIt = async () => {
    const delivery = await test.run();
    if (delivery) setTestId(delivery.id);
  };
  return (
    <Section title="Webhook" testId="webhook">
      <Stack gap="md">
        {disabledAt && (
          <DisabledNotice of="webhook" isRunning={enable.isRunning} onEnable={() => void enable.run()}>
            Your server answered 410 Gone on {atMoment(disabledAt)}, so no more events are sent. Events that
            happen now are not sent later. When your server accepts events again, enable the webhook.
          </DisabledNotice>
        )}
        <Text ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }} data-testid="webhook-url">
          {webhook.url}
        </Text>
        <LoadedValue of={state} what="the webhook" rowHeight={44}>
          {({ events, updatedAt, ...state }) => (
            <WebhookFacts of="webhook" events={events.join(', ')} {...state}>
              <Fact name="Changed">
                <Ago at={updatedAt} />
              </Fact>
            </WebhookFacts>
          )}
        </LoadedValue>
        {problem && <ProblemAlert problem={problem} />}
        {testId && <TestResult deliveries={queries.deliveries(numberId)} id={testId} />}
        <WebhookTasks
          of="webhook"
          isTesting={test.isRunning}
          canTest={disabledAt === null}
          onTest={() => void tryIt()}
          onEdit={onEdit}
          onRotate={() => setAsking('rotate')}
          onRemove={() => setAsking('remove')}
        />
      </Stack>
      {asking === 'rotate' && (
        <RotateSecretDialog action={rotate} onClose={close} onDone={showSecret} testId="webhook-rotate" />
      )}
      {asking === 'remove' && (
        <ConfirmDialog
          title="Remove this webhook?"
          action={remove}
          label="Remove webhook"
          onClose={close}
          testId="webhook-remove"
        >
          No more events are sent, and pending retries are cancelled. A new webhook gets a new secret.
        </ConfirmDialog>
      )}
    </Section>
  );
}
