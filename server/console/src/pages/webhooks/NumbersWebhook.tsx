import { Button } from '@mantine/core';
import type { PhoneNumber } from '@parley/sdk';
import { IconWebhook } from '@tabler/icons-react';
import { useState } from 'react';
import { formatPhoneNumber } from '../../phone/phoneNumbers.ts';
import { Empty } from '../../ui/Empty.tsx';
import { Section } from '../../ui/Section.tsx';
import { DeliveriesCard } from './DeliveriesCard.tsx';
import { EditWebhookDialog } from './EditWebhookDialog.tsx';
import { WebhookCard } from './WebhookCard.tsx';
import { WebhookSecretDialog } from './WebhookSecretDialog.tsx';

/** The webhook of one number and its deliveries. */
export function NumbersWebhook({ number }: { number: PhoneNumber }) {
  const [isEditing, setIsEditing] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      {number.webhook ? (
        <WebhookCard
          webhook={number.webhook}
          number={number}
          onEdit={() => setIsEditing(true)}
          onSecret={setSecret}
        />
      ) : (
        <Section title="Webhook" testId="webhook">
          <Empty
            icon={IconWebhook}
            title="No webhook yet"
            action={
              <Button onClick={() => setIsEditing(true)} data-testid="webhook-set">
                Set up webhook
              </Button>
            }
          >
            Set up a webhook to notify your server of every text to {formatPhoneNumber(number.phoneNumber)}{' '}
            within a second.
          </Empty>
        </Section>
      )}
      <DeliveriesCard numberId={number.id} hasWebhook={number.webhook !== null} />
      {isEditing && (
        <EditWebhookDialog
          number={number}
          onClose={(fresh) => {
            setIsEditing(false);
            setSecret(fresh);
          }}
        />
      )}
      {secret !== null && <WebhookSecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  );
}
