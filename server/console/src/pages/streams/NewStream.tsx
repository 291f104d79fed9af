import { Radio, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import type { GateConfig } from '@parley/sdk';
import { useState } from 'react';
import { GatedForm } from '../../gates/GatedForm.tsx';
import { useSignedIn, useWalletData } from '../../session/ParleyClient.tsx';
import { explainStream } from '../../streams/explainStream.ts';
import { Page } from '../../ui/Page.tsx';
import classes from './StreamsPage.module.css';

const first = { title: '', description: '', isPublic: true, record: false };

/** A stream as it is to be, and whom it is for. */
export function NewStream() {
  const { client } = useSignedIn();
  const { streams } = useWalletData();
  const [draft, setDraft] = useState(first);
  const change = (more: Partial<typeof first>) => setDraft((before) => ({ ...before, ...more }));
  const isUntitled = draft.title.trim() === '';
  const create = async (gate: GateConfig | null): Promise<string> => {
    const { title, description, isPublic, record } = draft;
    const made = await client.streaming.create({
      ...{ title: title.trim(), description: description.trim(), isPublic, record },
      ...(gate ? { gate } : {}),
    });
    void streams.own.refresh();
    return `/streams/${made.id}`;
  };
  return (
    <Page title="New stream" hint="You are its host. How to send it, and its link, are on the next page.">
      <GatedForm
        title="The stream"
        isSound={!isUntitled}
        gate={{
          title: 'Who may watch',
          hint: 'Whoever finds it; or those alone whose wallet holds something, or is somebody.',
          description: 'The chain is asked when somebody begins to watch, and again from time to time.',
          testId: 'stream-gated',
        }}
        create={create}
        inWords={explainStream}
        submit={{ label: 'Make the stream', testId: 'create-stream' }}
        back="/streams"
      >
        {(wasTried) => (
          <div className={classes['fields']}>
            <TextInput
              label="Title"
              placeholder="Friday night"
              size="md"
              maxLength={100}
              value={draft.title}
              onChange={({ currentTarget }) => change({ title: currentTarget.value })}
              error={wasTried && isUntitled && 'Give it a title.'}
              autoFocus
              autoComplete="off"
              data-testid="stream-title"
            />
            <Textarea
              label="Description"
              description="Shown below the picture. You may leave it out."
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
              label="Who finds it"
              value={draft.isPublic ? 'public' : 'private'}
              onChange={(value) => change({ isPublic: value === 'public' })}
            >
              <Stack gap="sm" mt={8}>
                <Radio
                  value="public"
                  label="Public"
                  description="Listed while it is live; whoever has the link watches, with a wallet or without."
                  data-testid="stream-public"
                />
                <Radio
                  value="private"
                  label="Private"
                  description="Not listed. Only links you make on its page open it, each for a day."
                  data-testid="stream-private"
                />
              </Stack>
            </Radio.Group>
            <Switch
              label="Record it"
              description="Whoever watches is told so."
              checked={draft.record}
              onChange={({ currentTarget }) => change({ record: currentTarget.checked })}
              data-testid="stream-record"
            />
          </div>
        )}
      </GatedForm>
    </Page>
  );
}
