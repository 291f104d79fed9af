import { Radio, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import type { GateConfig } from '@parley/sdk';
import { useState } from 'react';
import { GatedForm } from '../../gates/GatedForm.tsx';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { explainStream } from '@parley/react';
import { Page } from '../../ui/Page.tsx';

const first = { title: '', description: '', isPublic: true, record: false };

/** Creates a stream. */
export function NewStream() {
  const { client } = useSignedIn();
  const [draft, setDraft] = useState(first);
  const change = (more: Partial<typeof first>) => setDraft((before) => ({ ...before, ...more }));
  const isUntitled = draft.title.trim() === '';
  const create = async (gate: GateConfig | null): Promise<string> => {
    const { title, description, isPublic, record } = draft;
    const made = await client.streaming.create({
      title: title.trim(),
      description: description.trim(),
      isPublic,
      record,
      ...(gate ? { gate } : {}),
    });
    return `/streams/${made.id}`;
  };
  return (
    <Page title="New stream" hint="You are the host. The next page has the link and the settings for OBS.">
      <GatedForm
        title="Stream"
        isValid={!isUntitled}
        gate={{
          title: 'Who can watch',
          hint: 'Everyone who finds it, or only wallets that meet your conditions.',
          description:
            'The server checks the chain when a wallet starts watching and repeats the check regularly.',
          testId: 'stream-gated',
        }}
        create={create}
        toProblem={explainStream}
        submit={{ label: 'Create stream', testId: 'create-stream' }}
        back="/streams"
      >
        {(wasTried) => (
          <Stack gap="lg" miw={0}>
            <TextInput
              label="Title"
              placeholder="Friday night"
              size="md"
              maxLength={100}
              value={draft.title}
              onChange={({ currentTarget }) => change({ title: currentTarget.value })}
              error={wasTried && isUntitled && 'Enter a title.'}
              autoFocus
              autoComplete="off"
              data-testid="stream-title"
            />
            <Textarea
              label="Description"
              description="Optional. Shown below the video."
              size="md"
              autosize
              minRows={2}
              maxRows={8}
              maxLength={2_000}
              value={draft.description}
              onChange={({ currentTarget }) => change({ description: currentTarget.value })}
              data-testid="stream-description"
            />
            <Radio.Group
              label="Visibility"
              value={draft.isPublic ? 'public' : 'private'}
              onChange={(value) => change({ isPublic: value === 'public' })}
            >
              <Stack gap="sm" mt={8}>
                <Radio
                  value="public"
                  label="Public"
                  description="Listed while it is live. Everyone with the link can watch, with or without a wallet."
                  data-testid="stream-public"
                />
                <Radio
                  value="private"
                  label="Private"
                  description="Not listed. Only private links open it. You create them on the stream’s page; each is valid for one day."
                  data-testid="stream-private"
                />
              </Stack>
            </Radio.Group>
            <Switch
              label="Record this stream"
              description="Viewers see that it is recorded."
              checked={draft.record}
              onChange={({ currentTarget }) => change({ record: currentTarget.checked })}
              data-testid="stream-record"
            />
          </Stack>
        )}
      </GatedForm>
    </Page>
  );
}
