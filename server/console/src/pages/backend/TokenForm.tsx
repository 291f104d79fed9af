import { Checkbox, NativeSelect, Text, TextInput } from '@mantine/core';
import type { BackendRoom, NewRoomToken } from '@parley/sdk';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { DialogForm } from '../../ui/DialogForm.tsx';
import classes from './Backend.module.css';
import { GuestFields, isIdentity } from './GuestFields.tsx';
import type { Tried } from './codeOf.ts';

type Role = NonNullable<NewRoomToken['role']>;
type Publishable = NonNullable<NewRoomToken['canPublish']>[number];

const sources: { value: Publishable; label: string }[] = [
  { value: 'microphone', label: 'Microphone' },
  { value: 'camera', label: 'Camera' },
  { value: 'screen', label: 'Screen' },
];
const others = [
  { right: 'canSubscribe', label: 'See and hear the others' },
  { right: 'canChat', label: 'Write in the chat' },
  { right: 'canSendData', label: 'Send data' },
] as const;

interface Props {
  room: BackendRoom | null;
  /** The id of the room that is chosen at first; empty for a new one. */
  chosen: string;
  onCreated: (tried: Tried) => void;
  onCancel: () => void;
}

/** What a participant token says. */
export function TokenForm({ room, chosen, onCreated, onCancel }: Props) {
  const { client, queries } = useSignedIn();
  const rooms = useList(queries.accountRooms('running'));
  const [roomId, setRoomId] = useState(chosen);
  const [name, setName] = useState('My first room');
  const [guest, setGuest] = useState({ identity: 'alice', displayName: 'Alice' });
  const [role, setRole] = useState<Role>('participant');
  const [canPublish, setCanPublish] = useState<string[]>(sources.map(({ value }) => value));
  const [rights, setRights] = useState({ canSubscribe: true, canChat: true, canSendData: true });
  const [wasTried, setWasTried] = useState(false);
  const hasNoName = roomId === '' && name.trim() === '';
  const { run, isRunning, problem } = useAction(
    async (token: NewRoomToken): Promise<Tried> => {
      const id = roomId || (await client.rooms.create({ name: name.trim() })).id;
      // If the token is refused, the next try uses the same room.
      setRoomId(id);
      const created = await client.rooms.createToken(id, token);
      const newRoom = roomId === '' ? name.trim() : null;
      return { kind: 'rooms', subjectId: id, newRoom, wanted: token, token: created.token };
    },
    { refreshes: ['rooms'] },
  );
  const create = async () => {
    setWasTried(true);
    const { identity, displayName } = guest;
    if (hasNoName || !isIdentity(identity)) return;
    const tried = await run({
      identity,
      ...(displayName.trim() && { displayName: displayName.trim() }),
      role,
      canPublish:
        role === 'viewer' ? [] : sources.flatMap(({ value }) => (canPublish.includes(value) ? [value] : [])),
      ...rights,
    });
    if (tried) onCreated(tried);
  };
  const known = [...(room ? [room] : []), ...(rooms.value ?? []).filter(({ id }) => id !== room?.id)];
  return (
    <DialogForm
      onSubmit={create}
      onCancel={onCancel}
      label="Create guest link"
      isRunning={isRunning}
      problem={problem}
      testId="create-token"
    >
      <Text size="sm" c="dimmed">
        Your backend gives each person a token. Create one here, open the room as that guest in a new tab, and
        see the code for it.
      </Text>
      <div className={classes['pair']}>
        <NativeSelect
          label="Room"
          data={[
            { value: '', label: 'A new room' },
            ...known.map((each) => ({ value: each.id, label: each.name })),
          ]}
          value={roomId}
          onChange={({ currentTarget }) => setRoomId(currentTarget.value)}
          data-testid="token-room"
        />
        {roomId === '' && (
          <TextInput
            label="Name of the room"
            maxLength={100}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            error={wasTried && hasNoName && 'Enter a name.'}
            autoComplete="off"
            data-testid="token-room-name"
          />
        )}
      </div>
      <GuestFields value={guest} onChange={setGuest} wasTried={wasTried} />
      <NativeSelect
        label="Role"
        data={[
          { value: 'participant', label: 'Participant' },
          { value: 'host', label: 'Host, who manages the room' },
          { value: 'viewer', label: 'Viewer, who publishes nothing' },
        ]}
        value={role}
        onChange={({ currentTarget }) => setRole(currentTarget.value as Role)}
        data-testid="token-role"
      />
      <div className={classes['pair']}>
        <Checkbox.Group
          label="May publish"
          value={role === 'viewer' ? [] : canPublish}
          onChange={setCanPublish}
        >
          {sources.map(({ value, label }) => (
            <Checkbox
              key={value}
              mt={8}
              value={value}
              label={label}
              disabled={role === 'viewer'}
              data-testid={`may-${value}`}
            />
          ))}
        </Checkbox.Group>
        <fieldset className={classes['rights']}>
          <legend>May also</legend>
          {others.map(({ right, label }) => (
            <Checkbox
              key={right}
              mt={8}
              label={label}
              checked={rights[right]}
              onChange={({ currentTarget }) => setRights({ ...rights, [right]: currentTarget.checked })}
              data-testid={`may-${right}`}
            />
          ))}
        </fieldset>
      </div>
    </DialogForm>
  );
}
