import { Checkbox } from '@mantine/core';
import type { NewWebhook, PhoneNumber } from '@parley/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { formatPhoneNumber } from '../../phone/phoneNumbers.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogForm } from '../../ui/DialogForm.tsx';
import { AddressInput, isAddress } from './AddressInput.tsx';
import { eventLabels } from './eventLabels.ts';
import classes from './Webhooks.module.css';

interface Props {
  number: PhoneNumber;
  /** @param secret the new webhook secret; null if there is none */
  onClose: (secret: string | null) => void;
}

type EventType = NonNullable<NewWebhook['events']>[number];
const all = Object.keys(eventLabels) as EventType[];

/** Edits the URL and events of a webhook. */
export function EditWebhookDialog({ number, onClose }: Props) {
  const { client, queries } = useSignedIn();
  const queryClient = useQueryClient();
  const [url, setUrl] = useState(number.webhook?.url ?? '');
  const [events, setEvents] = useState<string[]>(number.webhook?.events ?? all);
  const [wasTried, setWasTried] = useState(false);
  const set = async (webhook: NewWebhook) => {
    const changed = await client.numbers.setWebhook(webhook);
    // The state of an earlier, removed webhook of this number is not that of the new one.
    const { queryKey } = queries.webhook(number.id);
    if (!number.webhook) queryClient.removeQueries({ queryKey, exact: true });
    return changed;
  };
  const { run, isRunning, problem } = useAction(set, { refreshes: ['webhooks', 'numbers'] });
  const save = async () => {
    setWasTried(true);
    if (!isAddress(url) || events.length === 0) return;
    const chosen = all.filter((type) => events.includes(type));
    const webhook = await run({ numberId: number.id, url: url.trim(), events: chosen });
    if (webhook) onClose(webhook.secret ?? null);
  };
  return (
    <Dialog
      title={`Webhook of ${formatPhoneNumber(number.phoneNumber)}`}
      onClose={() => onClose(null)}
      isWide
      testId="webhook-dialog"
    >
      <DialogForm
        onSubmit={save}
        onCancel={() => onClose(null)}
        label="Save"
        isRunning={isRunning}
        problem={problem}
        testId="webhook-save"
      >
        <AddressInput value={url} onChange={setUrl} wasTried={wasTried} testId="webhook-address" />
        <Checkbox.Group
          label="Events"
          value={events}
          onChange={setEvents}
          error={wasTried && events.length === 0 && 'Choose at least one event.'}
        >
          <div className={classes['events']}>
            {all.map((type) => (
              <Checkbox
                key={type}
                value={type}
                label={type}
                description={eventLabels[type]}
                data-testid={`event-${type}`}
              />
            ))}
          </div>
        </Checkbox.Group>
      </DialogForm>
    </Dialog>
  );
}
