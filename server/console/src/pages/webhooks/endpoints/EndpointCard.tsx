import { Ago, ProblemAlert } from '@parley/react';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { EndpointChange, WebhookEndpoint } from '@parley/sdk';
import {
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlugConnectedX,
  IconSend,
  IconTrash,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction } from '../../../data/useAction.ts';
import { useSignedIn } from '../../../session/ParleyClient.tsx';
import phoneClasses from '../../../phone/Phone.module.css';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { Fact } from '../../../ui/Fact.tsx';
import { atMoment } from '../../../ui/numbers.ts';
import { Section } from '../../../ui/Section.tsx';
import { describeEvents } from '../eventLabels.ts';
import { TestResult } from '../TestResult.tsx';
import classes from '../Webhooks.module.css';
import { WebhookSecretDialog } from '../WebhookSecretDialog.tsx';
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
          <Alert
            color="amber"
            variant="light"
            icon={<IconPlugConnectedX />}
            title="Endpoint disabled"
            data-testid="endpoint-disabled"
          >
            <Text size="sm">
              Since {atMoment(disabledAt)}, no events are sent, because you disabled it or because your server
              answered 410 Gone. Events that happen now are not sent later, but can be read under Events.
            </Text>
            <Button
              mt="sm"
              size="compact-md"
              fz="sm"
              color="amber"
              loading={enable.isRunning}
              onClick={() => void enable.run()}
              data-testid="endpoint-enable"
            >
              Enable endpoint
            </Button>
          </Alert>
        )}
        <span className={classes['url']} data-testid="endpoint-address">
          {url}
        </span>
        <dl className={phoneClasses['facts']}>
          <Fact name="Events" testId="endpoint-events">
            {describeEvents(events)}
          </Fact>
          <Fact name="Created">
            <Ago at={createdAt} />
          </Fact>
          {previousSecretUntil && (
            <Fact name="Events are also signed with the previous secret until" testId="previous-secret">
              {atMoment(previousSecretUntil)}
            </Fact>
          )}
        </dl>
        {setByKey && (
          <Text size="sm" c={setByKey.status === 'revoked' ? 'brick' : 'dimmed'}>
            Last changed with the API key {setByKey.prefix}…
            {setByKey.status === 'revoked' &&
              ', which is revoked. Remove this endpoint if you do not recognize it'}
          </Text>
        )}
        {problem && <ProblemAlert problem={problem} />}
        {testId && <TestResult deliveries={queries.endpointDeliveries(id, 'all')} id={testId} />}
        <Group gap="xs">
          <Button
            leftSection={<IconSend size={16} />}
            loading={test.isRunning}
            disabled={disabledAt !== null}
            onClick={() => void tryIt()}
            data-testid="endpoint-test"
          >
            Send test event
          </Button>
          <Button
            variant="default"
            leftSection={<IconPencil size={16} />}
            onClick={() => setTask('edit')}
            data-testid="endpoint-edit"
          >
            Edit
          </Button>
          <Button
            variant="default"
            leftSection={<IconKey size={16} />}
            onClick={() => setTask('rotate')}
            data-testid="endpoint-rotate"
          >
            New secret
          </Button>
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
          <Button
            variant="subtle"
            color="brick"
            leftSection={<IconTrash size={16} />}
            onClick={() => setTask('remove')}
            data-testid="endpoint-remove"
          >
            Remove
          </Button>
        </Group>
      </Stack>
      {task === 'edit' && <EndpointDialog endpoint={endpoint} onClose={close} />}
      {task === 'rotate' && (
        <ConfirmDialog
          title="Create a new secret?"
          action={rotate}
          label="Create secret"
          isDangerous={false}
          onClose={close}
          onDone={(changed) => {
            close();
            setSecret(changed.secret ?? null);
          }}
          testId="endpoint-rotate"
        >
          For one day, events are signed with both secrets, so that you can replace the one on your server
          without losing an event. After that, the old secret is invalid.
        </ConfirmDialog>
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
