import { Button, NativeSelect, Switch, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { useAction } from '../../data/useAction.ts';
import { GateSection } from '../../gates/GateSection.tsx';
import { readGate, type GroupDraft } from '../../gates/gateDraft.ts';
import { useSignedIn, useWalletData } from '../../session/ParleyClient.tsx';
import { explainRoom } from '../../rooms/explainRoom.ts';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';
import classes from './RoomsPage.module.css';

const [fewest, most] = [2, 1_000];

interface RoomDraft {
  name: string;
  people: string;
  video: boolean;
  waitingRoom: boolean;
  muteOnEntry: boolean;
  allowScreenShare: boolean;
  allowChat: boolean;
  /** Seconds; empty for as long as somebody is there. */
  maxDuration: string;
}

const first: RoomDraft = {
  name: '',
  people: '50',
  video: true,
  waitingRoom: false,
  muteOnEntry: false,
  allowScreenShare: true,
  allowChat: true,
  maxDuration: '',
};

const switches: { field: keyof RoomDraft; label: string; description: string }[] = [
  { field: 'video', label: 'Pictures', description: 'Without them the room is for voices and screens.' },
  {
    field: 'waitingRoom',
    label: 'Waiting room',
    description: 'Whoever is not invited waits until a host lets them in.',
  },
  {
    field: 'muteOnEntry',
    label: 'Muted at first',
    description: 'Everybody comes in with a silent microphone.',
  },
  { field: 'allowScreenShare', label: 'Everybody may share a screen', description: 'Otherwise hosts alone.' },
  { field: 'allowChat', label: 'Everybody may write', description: 'Otherwise hosts alone.' },
];

const durations = [
  { value: '', label: 'as long as somebody is there' },
  { value: '1800', label: 'half an hour' },
  { value: '3600', label: 'an hour' },
  { value: '7200', label: 'two hours' },
  { value: '28800', label: 'eight hours' },
];

/** A room as it is to be, and whom it is for. */
export function NewRoom() {
  const { client } = useSignedIn();
  const { rooms } = useWalletData();
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState(first);
  const [gate, setGate] = useState<GroupDraft | null>(null);
  const [wasTried, setWasTried] = useState(false);
  const change = (more: Partial<RoomDraft>) => setDraft((before) => ({ ...before, ...more }));
  const read = gate && readGate(gate);
  const people = Number(draft.people);
  const problems = {
    name: draft.name.trim() === '' ? 'Give it a name.' : null,
    people:
      Number.isInteger(people) && people >= fewest && people <= most
        ? null
        : `A whole number, ${fewest} to ${most}.`,
  };
  const { run, isRunning, problem } = useAction(async () => {
    const { name, video, waitingRoom, muteOnEntry, allowScreenShare, allowChat, maxDuration } = draft;
    const room = {
      name: name.trim(),
      maxParticipants: people,
      video,
      settings: {
        ...{ waitingRoom, muteOnEntry, allowScreenShare, allowChat },
        maxDuration: maxDuration === '' ? null : Number(maxDuration),
      },
    };
    const made = read?.gate
      ? await client.gatedRooms.create({ ...room, gateType: read.gate.type, gate: read.gate })
      : await client.conference.create(room);
    void rooms.list.refresh();
    navigate(`/rooms/${made.id}`);
  }, explainRoom);
  const create = (event: FormEvent) => {
    event.preventDefault();
    setWasTried(true);
    if (problems.name === null && problems.people === null && !read?.problems) void run();
  };
  return (
    <Page title="New room" hint="You are its host. Its link is on the next page.">
      <form className={classes['form']} onSubmit={create} noValidate>
        <Section title="The room">
          <div className={classes['fields']}>
            <TextInput
              label="Name"
              placeholder="Monday morning"
              size="md"
              maxLength={100}
              value={draft.name}
              onChange={({ currentTarget }) => change({ name: currentTarget.value })}
              error={wasTried && problems.name}
              autoFocus
              autoComplete="off"
              data-testid="room-name"
            />
            <TextInput
              label="People at most"
              size="md"
              inputMode="numeric"
              value={draft.people}
              onChange={({ currentTarget }) => change({ people: currentTarget.value })}
              error={wasTried && problems.people}
              autoComplete="off"
              data-testid="room-people-at-most"
            />
          </div>
          <div className={classes['switches']}>
            {switches.map(({ field, label, description }) => (
              <Switch
                key={field}
                label={label}
                description={description}
                checked={draft[field] === true}
                onChange={({ currentTarget }) => change({ [field]: currentTarget.checked })}
                data-testid={`room-${field}`}
              />
            ))}
            <NativeSelect
              label="It lasts"
              data={durations}
              value={draft.maxDuration}
              onChange={({ currentTarget }) => change({ maxDuration: currentTarget.value })}
              data-testid="room-duration"
            />
          </div>
        </Section>
        <GateSection
          gate={gate}
          setGate={setGate}
          problems={wasTried ? read?.problems : null}
          title="Who may come in"
          hint="Everybody with the link; or those alone whose wallet holds something, or is somebody."
          description="The room asks the chain at the door, and again from time to time while it lasts."
          testId="room-gated"
        />
        {problem && <ProblemAlert problem={problem} onRetry={() => void run()} />}
        <div className={classes['buttons']}>
          <Button type="submit" size="md" loading={isRunning} data-testid="create-room">
            Make the room
          </Button>
          <Button variant="default" size="md" onClick={() => navigate('/rooms')}>
            Cancel
          </Button>
        </div>
      </form>
    </Page>
  );
}
