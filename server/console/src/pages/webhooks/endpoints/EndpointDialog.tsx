import { Checkbox, Input, TextInput } from '@mantine/core';
import type { NewEndpoint, WebhookEndpoint } from '@parley/sdk';
import { useState } from 'react';
import { useAction } from '../../../data/useAction.ts';
import { useSignedIn } from '../../../session/ParleyClient.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { DialogForm } from '../../../ui/DialogForm.tsx';
import { AddressInput, isAddress } from '../AddressInput.tsx';
import { allEvents, type EventType } from '../eventLabels.ts';
import { EventPicker } from './EventPicker.tsx';

interface Props {
  /** The endpoint to edit; null for a new one. */
  endpoint: WebhookEndpoint | null;
  /** @param saved the saved endpoint, with its secret if it is new; null if the user cancelled */
  onClose: (saved: WebhookEndpoint | null) => void;
}

/** Creates or edits an endpoint. */
export function EndpointDialog({ endpoint, onClose }: Props) {
  const { webhooks } = useSignedIn().client;
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [events, setEvents] = useState<EventType[]>(endpoint?.events ?? allEvents);
  const [wasTried, setWasTried] = useState(false);
  const { run, isRunning, problem } = useAction(
    (wanted: NewEndpoint) => (endpoint ? webhooks.update(endpoint.id, wanted) : webhooks.create(wanted)),
    { refreshes: ['webhooks'] },
  );
  const save = async () => {
    setWasTried(true);
    if (!isAddress(url) || events.length === 0) return;
    const saved = await run({ url: url.trim(), description: description.trim(), events });
    if (saved) onClose(saved);
  };
  return (
    <Dialog
      title={endpoint ? 'Edit endpoint' : 'Add endpoint'}
      onClose={() => onClose(null)}
      isWide
      testId="endpoint-dialog"
    >
      <DialogForm
        onSubmit={save}
        onCancel={() => onClose(null)}
        label={endpoint ? 'Save' : 'Add endpoint'}
        isRunning={isRunning}
        problem={problem}
        testId="endpoint-save"
      >
        <AddressInput value={url} onChange={setUrl} wasTried={wasTried} testId="endpoint-url" />
        <TextInput
          label="Description"
          description="What the endpoint is for. Optional."
          placeholder="Attendance of lessons"
          maxLength={200}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          autoComplete="off"
          data-testid="endpoint-description"
        />
        <Input.Wrapper
          labelElement="div"
          label="Events"
          error={wasTried && events.length === 0 && 'Choose at least one event.'}
        >
          <Checkbox
            my="sm"
            label="All events"
            checked={events.length === allEvents.length}
            indeterminate={events.length > 0 && events.length < allEvents.length}
            onChange={({ currentTarget }) => setEvents(currentTarget.checked ? allEvents : [])}
            data-testid="all-events"
          />
          <EventPicker value={events} onChange={setEvents} />
        </Input.Wrapper>
      </DialogForm>
    </Dialog>
  );
}
