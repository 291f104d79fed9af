import { NativeSelect, Switch, TextInput } from '@mantine/core';
import type { GateConfig } from '@parley/sdk';
import { useState } from 'react';
import { GatedForm } from '../../gates/GatedForm.tsx';
import { useSignedIn, useWalletData } from '../../session/ParleyClient.tsx';
import { explainRoom } from '../../rooms/explainRoom.ts';
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
  const [draft, setDraft] = useState(first);
  const change = (more: Partial<RoomDraft>) => setDraft((before) => ({ ...before, ...more }));
  const people = Number(draft.people);
  const problems = {
    name: draft.name.trim() === '' ? 'Give it a name.' : null,
    people:
      Number.isInteger(people) && people >= fewest && people <= most
        ? null
        : `A whole number, ${fewest} to ${most}.`,
  };
  const create = async (gate: GateConfig | null): Promise<string> => {
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
    const made = gate
      ? await client.gatedRooms.create({ ...room, gateType: gate.type, gate })
      : await client.conference.create(room);
    void rooms.list.refresh();
    return `/rooms/${made.id}`;
  };
  return (
    <Page title="New room" hint="You are its host. Its link is on the next page.">
      <GatedForm
        title="The room"
        isSound={problems.name === null && problems.people === null}
        gate={{
          title: 'Who may come in',
          hint: 'Everybody with the link; or those alone whose wallet holds something, or is somebody.',
          description: 'The room asks the chain at the door, and again from time to time while it lasts.',
          testId: 'room-gated',
        }}
        create={create}
        inWords={explainRoom}
        submit={{ label: 'Make the room', testId: 'create-room' }}
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
          </>
        )}
      </GatedForm>
    </Page>
  );
}
