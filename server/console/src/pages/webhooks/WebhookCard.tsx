import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import type { PhoneNumber, WebhookDelivery } from '@parley/sdk';
import { IconKey, IconPencil, IconPlugConnectedX, IconSend, IconTrash } from '@tabler/icons-react';
import { useEffect, useMemo, useState } from 'react';
import type { PagedList } from '../../data/PagedList.ts';
import { useAction } from '../../data/useAction.ts';
import { useLoaded } from '../../data/useLoaded.ts';
import phoneClasses from '../../phone/Phone.module.css';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { useStore } from '../../session/Store.ts';
import { Ago } from '../../ui/Ago.tsx';
import { atMoment } from '../../ui/numbers.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';
import { AskAgain } from './AskAgain.tsx';
import { TestResult } from './TestResult.tsx';

interface Props {
  number: PhoneNumber;
  deliveries: PagedList<WebhookDelivery>;
  onEdit: () => void;
  onSecret: (secret: string) => void;
}

/** What is set, whether it works, and everything that can be done with it. */
export function WebhookCard({ number, deliveries, onEdit, onSecret }: Props) {
  const { phone } = useSignedIn();
  const { id, webhook } = number;
  const resource = useMemo(() => phone.webhook(id), [phone, id]);
  const { value, isLoading, problem } = useLoaded(resource);
  // Changed here, it comes anew with its number.
  // What was answered may have switched it off.
  const latest = useStore(deliveries.store).items?.[0];
  const answered = `${latest?.id} ${latest?.status}`;
  useEffect(() => void resource.refresh(), [resource, webhook, answered]);
  const [testId, setTestId] = useState<string | null>(null);
  const [asking, setAsking] = useState<'rotate' | 'remove' | null>(null);
  const set = useAction(phone.setWebhook);
  const test = useAction(phone.testWebhook);
  if (!webhook) return null;
  const tryIt = async () => {
    const delivery = await test.run(id);
    if (delivery) setTestId(delivery.id);
    await deliveries.refresh();
  };
  const rotate = async () => {
    const changed = await set.run({ numberId: id, ...webhook, rotateSecret: true });
    setAsking(null);
    if (changed?.secret) onSecret(changed.secret);
  };
  const remove = async () => {
    await set.run({ numberId: id, url: null });
    setAsking(null);
  };
  const disabledAt = value?.disabledAt;
  return (
    <Section title="Where its events go" testId="webhook">
      <Stack gap="md">
        {problem && <ProblemAlert problem={problem} onRetry={() => void resource.refresh()} />}
        {disabledAt && (
          <Alert
            color="amber"
            variant="light"
            icon={<IconPlugConnectedX />}
            title="Switched off: your server said it is gone"
            data-testid="webhook-disabled"
          >
            <Text size="sm">
              It answered 410 on {atMoment(disabledAt)}, so nothing is posted any more. What happens meanwhile
              is not posted later. Once your server takes events again, switch it on.
            </Text>
            <Button
              mt="sm"
              size="compact-md"
              fz="sm"
              color="amber"
              loading={set.isRunning}
              onClick={() => void set.run({ numberId: id, ...webhook })}
              data-testid="webhook-enable"
            >
              Switch it on
            </Button>
          </Alert>
        )}
        <Text ff="monospace" size="sm" style={{ overflowWrap: 'anywhere' }} data-testid="webhook-url">
          {webhook.url}
        </Text>
        {!value && isLoading && <Skeleton height={44} radius="md" aria-label="Loading the webhook" />}
        {value && (
          <dl className={phoneClasses['facts']}>
            <div>
              <dt>Events</dt>
              <dd>{webhook.events.join(', ')}</dd>
            </div>
            <div>
              <dt>Changed</dt>
              <dd>
                <Ago at={value.updatedAt} />
              </dd>
            </div>
            {value.previousSecretUntil && (
              <div data-testid="previous-secret">
                <dt>The former secret signs too until</dt>
                <dd>{atMoment(value.previousSecretUntil)}</dd>
              </div>
            )}
          </dl>
        )}
        {set.problem && <ProblemAlert problem={set.problem} />}
        {test.problem && <ProblemAlert problem={test.problem} />}
        {testId && <TestResult deliveries={deliveries} id={testId} />}
        <Group gap="xs">
          <Button
            leftSection={<IconSend size={16} />}
            loading={test.isRunning}
            disabled={disabledAt != null}
            onClick={() => void tryIt()}
            data-testid="webhook-test"
          >
            Send a test
          </Button>
          <Button
            variant="default"
            leftSection={<IconPencil size={16} />}
            onClick={onEdit}
            data-testid="webhook-edit"
          >
            Change
          </Button>
          <Button
            variant="default"
            leftSection={<IconKey size={16} />}
            onClick={() => setAsking('rotate')}
            data-testid="webhook-rotate"
          >
            New secret
          </Button>
          <Button
            variant="subtle"
            color="brick"
            leftSection={<IconTrash size={16} />}
            onClick={() => setAsking('remove')}
            data-testid="webhook-remove"
          >
            Remove
          </Button>
        </Group>
      </Stack>
      {asking === 'rotate' && (
        <AskAgain
          title="Make a new secret?"
          action="Make it"
          isRunning={set.isRunning}
          onDo={() => void rotate()}
          onClose={() => setAsking(null)}
        >
          For a day both secrets sign, so that you can replace the one in your server without losing an event.
          After that the old one is good for nothing.
        </AskAgain>
      )}
      {asking === 'remove' && (
        <AskAgain
          title="Remove the webhook?"
          action="Remove it"
          isDangerous
          isRunning={set.isRunning}
          onDo={() => void remove()}
          onClose={() => setAsking(null)}
        >
          Nothing is posted any more, and what waits for another attempt is given up. A new one has a new
          secret.
        </AskAgain>
      )}
    </Section>
  );
}
