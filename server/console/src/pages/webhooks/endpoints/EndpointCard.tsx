import { Ago, ProblemAlert } from '@parley/react';
import { Button, Stack } from '@mantine/core';
import type { EndpointChange, WebhookEndpoint } from '@parley/sdk';
import { IconPlayerPause } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction } from '../../../data/useAction.ts';
import { useSignedIn } from '../../../session/ParleyClient.tsx';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { Fact } from '../../../ui/Fact.tsx';
import { atMoment } from '../../../ui/numbers.ts';
import { Section } from '../../../ui/Section.tsx';
import { DisabledNotice } from '../DisabledNotice.tsx';
import { describeEvents } from '../eventLabels.ts';
import { RotateSecretDialog } from '../RotateSecretDialog.tsx';
import { TestResult } from '../TestResult.tsx';
import classes from '../Webhooks.module.css';
import { WebhookFacts } from '../WebhookFacts.tsx';
import { WebhookSecretDialog } from '../WebhookSecretDialog.tsx';
import { WebhookTasks } from '../WebhookTasks.tsx';
import { EndpointDialog } from './EndpointDialog.tsx';

type Task = 'edit' | 'rotate' | 'disable' | 'remove';

/** The settings and state of an endpoint, and the actions on it. */
export function EndpointCard({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { client, queries } = useSignedIn();
  const queryClient = useQueryClient();
  const { webhooks } = client;
  const { id, url, events, disabledAt, previousSecretUntil, setByKey, createdAt } = endpoint;
  const [, navigate] = useLocation();
  const [task, setTask] = useState<Task | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const [testId, setTestId] = useState<string | null>(null);
  const refreshes = { refreshes: ['webhooks' as const] };
  const change = (changes: EndpointChange) => webhooks.update(id, changes);
  const enable = useAction(() => change({ disabled: false }), refreshes);
  const disable = useAction(() => change({ disabled: true }), refreshes);
  const rotate = useAction(() => change({ rotateSecret: true }), refreshes);
  const test = useAction(() => webhooks.test(id), refreshes);
  const remove = useAction(async () => {
    await webhooks.remove(id);
    // The removed endpoint is not read again, and the list does not show it until it is.
    queryClient.removeQueries({ queryKey: queries.endpoints.queryKey, exact: true });
  });
  const close = () => setTask(null);
  const problem = enable.problem ?? test.problem;
  const tryIt = async () => {
    const delivery = await test.run();
    if (delivery) setTestId(delivery.id);
  };
  return (
    <Section title="Endpoint" testId="endpoint-card">
      <Stack gap="md">
        {disabledAt && (
          <DisabledNotice of="endpoint" isRunning={enable.isRunning} onEnable={() => void enable.run()}>
            Since {atMoment(disabledAt)}, no events are sent, because you disabled it or because your server
            answered 410 Gone. Events that happen now are not sent later, but can be read under Events.
          </DisabledNotice>
        )}
        <span className={classes['url']} data-testid="endpoint-address">
          {url}
        </span>
        <WebhookFacts
          of="endpoint"
          events={describeEvents(events)}
          previousSecretUntil={previousSecretUntil}
          setByKey={setByKey}
        >
          <Fact name="Created">
            <Ago at={createdAt} />
          </Fact>
        </WebhookFacts>
        {problem && <ProblemAlert problem={problem} />}
        {testId && <TestResult deliveries={queries.endpointDeliveries(id, 'all')} id={testId} />}
        <WebhookTasks
          of="endpoint"
          isTesting={test.isRunning}
          canTest={disabledAt === null}
          onTest={() => void tryIt()}
          onEdit={() => setTask('edit')}
          onRotate={() => setTask('rotate')}
          onRemove={() => setTask('remove')}
        >
          {!disabledAt && (
            <Button
              variant="default"
              leftSection={<IconPlayerPause size={16} />}
              onClick={() => setTask('disable')}
              data-testid="endpoint-disable"
            >
              Disable
            </Button>
          )}
        </WebhookTasks>
      </Stack>
      {task === 'edit' && <EndpointDialog endpoint={endpoint} onClose={close} />}
      {task === 'rotate' && (
        <RotateSecretDialog
          action={rotate}
          onClose={close}
          onDone={(changed) => {
            close();
            setSecret(changed.secret ?? null);
          }}
          testId="endpoint-rotate"
        />
      )}
      {task === 'disable' && (
        <ConfirmDialog
          title="Disable this endpoint?"
          action={disable}
          label="Disable endpoint"
          onClose={close}
          testId="endpoint-disable"
        >
          No more events are sent until you enable it, and pending retries are cancelled.
        </ConfirmDialog>
      )}
      {task === 'remove' && (
        <ConfirmDialog
          title="Remove this endpoint?"
          action={remove}
          label="Remove endpoint"
          onClose={close}
          onDone={() => navigate('/webhooks')}
          testId="endpoint-remove"
        >
          No more events are sent, and pending retries are cancelled. A new endpoint gets a new secret.
        </ConfirmDialog>
      )}
      {secret !== null && <WebhookSecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </Section>
  );
}
