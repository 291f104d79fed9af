import { Button, Radio, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { useAction } from '../../data/useAction.ts';
import { GateSection } from '../../gates/GateSection.tsx';
import { readGate, type GroupDraft } from '../../gates/gateDraft.ts';
import { useSignedIn, useWalletData } from '../../session/ParleyClient.tsx';
import { explainStream } from '../../streams/explainStream.ts';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';
import rooms from '../rooms/RoomsPage.module.css';
import classes from './StreamsPage.module.css';

const first = { title: '', description: '', isPublic: true, record: false };

/** A stream as it is to be, and whom it is for. */
export function NewStream() {
  const { client } = useSignedIn();
  const { streams } = useWalletData();
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState(first);
  const [gate, setGate] = useState<GroupDraft | null>(null);
  const [wasTried, setWasTried] = useState(false);
  const change = (more: Partial<typeof first>) => setDraft((before) => ({ ...before, ...more }));
  const read = gate && readGate(gate);
  const isUntitled = draft.title.trim() === '';
  const { run, isRunning, problem } = useAction(async () => {
    const { title, description, isPublic, record } = draft;
    const made = await client.streaming.create({
      ...{ title: title.trim(), description: description.trim(), isPublic, record },
      ...(read?.gate ? { gate: read.gate } : {}),
    });
    void streams.own.refresh();
    navigate(`/streams/${made.id}`);
  }, explainStream);
  const create = (event: FormEvent) => {
    event.preventDefault();
    setWasTried(true);
    if (!isUntitled && !read?.problems) void run();
  };
  return (
    <Page title="New stream" hint="You are its host. How to send it, and its link, are on the next page.">
      <form className={rooms['form']} onSubmit={create} noValidate>
        <Section title="The stream">
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
        </Section>
        <GateSection
          gate={gate}
          setGate={setGate}
          problems={wasTried ? read?.problems : null}
          title="Who may watch"
          hint="Whoever finds it; or those alone whose wallet holds something, or is somebody."
          description="The chain is asked when somebody begins to watch, and again from time to time."
          testId="stream-gated"
        />
        {problem && <ProblemAlert problem={problem} onRetry={() => void run()} />}
        <div className={rooms['buttons']}>
          <Button type="submit" size="md" loading={isRunning} data-testid="create-stream">
            Make the stream
          </Button>
          <Button variant="default" size="md" onClick={() => navigate('/streams')}>
            Cancel
          </Button>
        </div>
      </form>
    </Page>
  );
}
