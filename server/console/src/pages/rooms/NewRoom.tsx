import { english, explainRoom } from '@parley/react';
import { NativeSelect, Switch, TextInput } from '@mantine/core';
import type { GateConfig } from '@parley/sdk';
import { useState } from 'react';
import { GatedForm } from '../../gates/GatedForm.tsx';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Page } from '../../ui/Page.tsx';
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
  /** Seconds; empty for no limit. */
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
  { field: 'video', label: 'Video', description: 'Without video, the room is for audio and screens.' },
  {
    field: 'waitingRoom',
    label: 'Waiting room',
    description: 'People without an invitation wait until a host lets them in.',
  },
  {
    field: 'muteOnEntry',
    label: 'Join muted',
    description: 'Everyone joins with a muted microphone.',
  },
  {
    field: 'allowScreenShare',
    label: 'Everyone can share a screen',
    description: 'Otherwise only hosts can.',
  },
  { field: 'allowChat', label: 'Everyone can chat', description: 'Otherwise only hosts can.' },
];

const durations = [
  { value: '', label: 'Until it is empty' },
  { value: '1800', label: '30 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '7200', label: '2 hours' },
  { value: '28800', label: '8 hours' },
];

/** Creates a room. */
export function NewRoom() {
  const { client } = useSignedIn();
  const [draft, setDraft] = useState(first);
  const change = (more: Partial<RoomDraft>) => setDraft((before) => ({ ...before, ...more }));
  const people = Number(draft.people);
  const problems = {
    name: draft.name.trim() === '' ? 'Enter a name.' : null,
    people:
      Number.isInteger(people) && people >= fewest && people <= most
        ? null
        : `Enter a whole number from ${fewest} to ${most}.`,
  };
  const create = async (gate: GateConfig | null): Promise<string> => {
    const { name, video, waitingRoom, muteOnEntry, allowScreenShare, allowChat, maxDuration } = draft;
    const room = {
      name: name.trim(),
      maxParticipants: people,
      video,
      settings: {
        waitingRoom,
        muteOnEntry,
        allowScreenShare,
        allowChat,
        maxDuration: maxDuration === '' ? null : Number(maxDuration),
      },
    };
    const made = gate
      ? await client.gatedRooms.create({ ...room, gateType: gate.type, gate })
      : await client.conference.create(room);
    return `/rooms/${made.id}`;
  };
  return (
    <Page title="New room" hint="You are the host. You get the link on the next page.">
      <GatedForm
        title="Room"
        isValid={problems.name === null && problems.people === null}
        gate={{
          title: 'Who can join',
          hint: 'Everyone with the link, or only wallets that meet your conditions.',
          description: 'The server checks the chain when a wallet joins and repeats the check regularly.',
          testId: 'room-gated',
        }}
        create={create}
        toProblem={(error) => explainRoom(error, english)}
        submit={{ label: 'Create room', testId: 'create-room' }}
        back="/rooms"
      >
        {(wasTried) => (
          <>
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
                label="Maximum number of people"
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
                label="Duration"
                data={durations}
                value={draft.maxDuration}
                onChange={({ currentTarget }) => change({ maxDuration: currentTarget.value })}
                data-testid="room-duration"
              />
            </div>
          </>
        )}
      </GatedForm>
    </Page>
  );
}
