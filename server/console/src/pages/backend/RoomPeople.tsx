import { partyName, PersonItem, ProblemAlert } from '@parley/react';
import { Button } from '@mantine/core';
import type { BackendRoomWithParticipants } from '@parley/sdk';
import { IconUserMinus, IconUsers } from '@tabler/icons-react';
import { useAction } from '../../data/useAction.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { Section } from '../../ui/Section.tsx';

const roles = { host: 'Host', participant: '', viewer: 'Viewer' };

/** The people in a room of the account, who can be removed. */
export function RoomPeople({ room }: { room: BackendRoomWithParticipants }) {
  const { client } = useSignedIn();
  const remove = useAction((id: string) => client.rooms.removeParticipant(room.id, id), {
    refreshes: ['rooms'],
  });
  return (
    <Section title="People in the room" testId="account-room-people">
      {remove.problem && <ProblemAlert problem={remove.problem} />}
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
                disabled={remove.isRunning}
                onClick={() => void remove.run(id)}
                aria-label={`Remove ${name}`}
                data-testid="remove-from-account-room"
              >
                Remove
              </Button>
            </PersonItem>
          );
        })}
      </ul>
    </Section>
  );
}
