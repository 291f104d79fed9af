import { partyName, PersonItem } from '@parley/react';
import { Button } from '@mantine/core';
import type { BackendRoomWithParticipants } from '@parley/sdk';
import { IconUserMinus, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { Section } from '../../ui/Section.tsx';

const roles = { host: 'Host', participant: '', viewer: 'Viewer' };

interface Removing {
  id: string;
  name: string;
  isGuest: boolean;
}

/** The people in a room of the account, who can be removed. */
export function RoomPeople({ room }: { room: BackendRoomWithParticipants }) {
  const [removing, setRemoving] = useState<Removing | null>(null);
  return (
    <Section title="People in the room" testId="account-room-people">
      {room.participants.length === 0 && (
        <Empty icon={IconUsers} title="Nobody is in the room">
          People appear here when they join.
        </Empty>
      )}
      <ul>
        {room.participants.map(({ id, identity, isGuest, displayName, role }) => {
          const party = isGuest ? `guest:${identity}` : identity;
          const name = displayName ?? partyName(party);
          const facts = [roles[role], displayName && partyName(party)].filter(Boolean).join(' · ');
          return (
            <PersonItem
              key={id}
              data-testid="account-room-person"
              data-identity={identity}
              address={party}
              name={name}
              facts={facts}
            >
              <Button
                variant="subtle"
                color="brick"
                size="compact-md"
                fz="sm"
                leftSection={<IconUserMinus size={16} />}
                onClick={() => setRemoving({ id, name, isGuest })}
                aria-label={`Remove ${name}`}
                data-testid="remove-from-account-room"
              >
                Remove
              </Button>
            </PersonItem>
          );
        })}
      </ul>
      {removing && <RemoveDialog roomId={room.id} {...removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

interface DialogProps extends Removing {
  roomId: string;
  onClose: () => void;
}

function RemoveDialog({ roomId, id, name, isGuest, onClose }: DialogProps) {
  const { client } = useSignedIn();
  const remove = useAction(() => client.rooms.removeParticipant(roomId, id), { refreshes: ['rooms'] });
  return (
    <ConfirmDialog
      title={`Remove ${name}?`}
      action={remove}
      label="Remove"
      onClose={onClose}
      testId="remove-from-account-room"
    >
      Coming back takes {isGuest ? 'a new token' : 'a new invitation'}.
    </ConfirmDialog>
  );
}
