import { partyName, PersonItem } from '@parley/react';
import { Button, Flex, Menu, Switch, Text } from '@mantine/core';
import type { Participant } from '@parley/sdk';
import {
  IconEye,
  IconHandStop,
  IconMicrophone,
  IconMicrophoneOff,
  IconScreenShare,
  IconStar,
  IconUser,
  IconUserMinus,
  IconVideo,
  IconVideoOff,
} from '@tabler/icons-react';
import { InvitePeople } from '../InvitePeople.tsx';
import { DotsMenu } from '../../ui/DotsMenu.tsx';
import { nameOf } from '../roomState.ts';
import { useRoom } from '../useRoom.ts';
import classes from './InRoom.module.css';

const roles: Record<Participant['role'], string> = { host: 'Host', participant: '', viewer: 'Viewer' };

/** Lists the participants and, for hosts, the people in the waiting room, with the actions that hosts may take. */
export function People() {
  const { controller, state, isHost, guest } = useRoom();
  const { room, participants } = state;
  if (!room) return null;
  return (
    <div className={classes['panelBody']}>
      {isHost && <Waiters />}
      <ul>
        {participants.map((participant) => (
          <Person key={participant.id} participant={participant} />
        ))}
      </ul>
      {isHost && (
        <Switch
          label="Lock the room"
          description="Only people you invite can join."
          checked={room.settings.locked}
          onChange={({ currentTarget }) => void controller.lock(currentTarget.checked)}
          data-testid="lock-room"
        />
      )}
      {isHost && (
        <Switch
          label="Record"
          description={`Everyone sees that the room is recorded. ${guest ? 'The host gets' : 'You get'} the recording.`}
          checked={room.isRecording}
          onChange={({ currentTarget }) => void controller.record(currentTarget.checked)}
          data-testid="record-room"
        />
      )}
      {!guest && <InvitePeople room={room} isHost={isHost} onInvite={controller.invite} />}
    </div>
  );
}

function Waiters() {
  const { controller, state } = useRoom();
  if (state.waiters.length === 0) return null;
  return (
    <section className={classes['waiters']} aria-label="Waiting to join">
      <Text size="sm" fw={600}>
        Waiting to join
      </Text>
      <ul>
        {state.waiters.map(({ walletAddress, displayName }) => (
          <PersonItem
            key={walletAddress}
            data-testid="waiter"
            data-address={walletAddress}
            address={walletAddress}
            name={displayName ?? partyName(walletAddress)}
            facts={displayName ? partyName(walletAddress) : ''}
          >
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => void controller.deny(walletAddress)}
              data-testid="deny"
            >
              Decline
            </Button>
            <Button
              size="compact-sm"
              onClick={() => void controller.admit(walletAddress)}
              data-testid="admit"
            >
              Let in
            </Button>
          </PersonItem>
        ))}
      </ul>
    </section>
  );
}

function Person({ participant }: { participant: Participant }) {
  const { me, isHost } = useRoom();
  const { id, walletAddress, displayName, role, audio, video, screen, handRaised } = participant;
  const isMe = id === me?.id;
  const facts = [isMe && 'You', roles[role], displayName && partyName(walletAddress)].filter(Boolean);
  return (
    <PersonItem
      data-testid="person"
      data-address={walletAddress}
      data-role={role}
      data-audio={audio}
      address={walletAddress}
      name={nameOf(participant)}
      facts={facts.join(' · ')}
    >
      <Flex component="span" align="center" gap={6} flex="none" c="dimmed">
        {handRaised && <IconHandStop size={18} role="img" aria-label="Hand raised" />}
        {screen && <IconScreenShare size={18} role="img" aria-label="Sharing a screen" />}
        {audio ? (
          <IconMicrophone size={18} role="img" aria-label="Microphone on" />
        ) : (
          <IconMicrophoneOff size={18} role="img" aria-label="Muted" />
        )}
        {video ? (
          <IconVideo size={18} role="img" aria-label="Camera on" />
        ) : (
          <IconVideoOff size={18} role="img" aria-label="Camera off" />
        )}
      </Flex>
      {isHost && !isMe && <PersonMenu participant={participant} />}
    </PersonItem>
  );
}

function PersonMenu({ participant }: { participant: Participant }) {
  const { controller, state } = useRoom();
  const { walletAddress, role, audio } = participant;
  // The creator of the room always stays a host.
  const isCreator = walletAddress === state.room?.host;
  return (
    <DotsMenu label={`Actions for ${nameOf(participant)}`} testId="person-menu">
      <Menu.Item
        leftSection={<IconMicrophoneOff size={18} />}
        disabled={!audio}
        onClick={() => void controller.mute(participant)}
        data-testid="mute-person"
      >
        Mute
      </Menu.Item>
      {role !== 'host' && (
        <Menu.Item
          leftSection={<IconStar size={18} />}
          onClick={() => void controller.setRole(participant, 'host')}
          data-testid="make-host"
        >
          Make host
        </Menu.Item>
      )}
      {role !== 'participant' && !isCreator && (
        <Menu.Item
          leftSection={<IconUser size={18} />}
          onClick={() => void controller.setRole(participant, 'participant')}
          data-testid="make-participant"
        >
          {role === 'host' ? 'Remove as host' : 'Make participant'}
        </Menu.Item>
      )}
      {role !== 'viewer' && !isCreator && (
        <Menu.Item
          leftSection={<IconEye size={18} />}
          onClick={() => void controller.setRole(participant, 'viewer')}
          data-testid="make-viewer"
        >
          Make viewer
        </Menu.Item>
      )}
      {!isCreator && (
        <Menu.Item
          color="brick"
          leftSection={<IconUserMinus size={18} />}
          onClick={() => void controller.remove(participant)}
          data-testid="remove-person"
        >
          Remove from room
        </Menu.Item>
      )}
    </DotsMenu>
  );
}
