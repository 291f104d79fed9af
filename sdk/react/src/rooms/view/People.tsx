import type { Participant, RoomWaiter } from '@parley/sdk';
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
import { usePartyName } from '../../people/usePeople.ts';
import { PersonItem } from '../../people/PersonSummary.tsx';
import { Row, Text } from '../../ui/Basics.tsx';
import { Button } from '../../ui/Button.tsx';
import { Switch } from '../../ui/Fields.tsx';
import { MenuItem } from '../../ui/Menu.tsx';
import { useIsSteady } from '../../ui/useIsSteady.ts';
import { useWords } from '../../words/WordsContext.tsx';
import { InvitePeople } from '../invite/InvitePeople.tsx';
import { useNameOf } from '../useNameOf.ts';
import { useRoomContext } from '../useRoom.ts';
import { DotsMenu } from '../../ui/DotsMenu.tsx';
import classes from './InRoom.module.css';

/** Lists the participants and, for hosts, the people in the waiting room, with the actions that hosts may take. */
export function People() {
  const words = useWords().rooms;
  const { host, room, participants, isHost, guest } = useRoomContext();
  if (!room) return null;
  return (
    <div className={classes['panelBody']}>
      {isHost && <Waiters />}
      <ul className={classes['list']}>
        {participants.map((participant) => (
          <Person key={participant.id} participant={participant} />
        ))}
      </ul>
      {isHost && (
        <>
          <Switch
            label={words.lock}
            hint={words.lockHint}
            checked={room.settings.locked}
            onChange={(isOn) => void host.lock(isOn)}
            data-testid="lock-room"
          />
          <Switch
            label={words.record}
            hint={guest ? words.recordHintForGuests : words.recordHint}
            checked={room.isRecording}
            onChange={(isOn) => void host.record(isOn)}
            data-testid="record-room"
          />
        </>
      )}
      {!guest && <InvitePeople room={room} onInvite={isHost ? host.invite : null} />}
    </div>
  );
}

function Waiters() {
  const words = useWords().rooms;
  const { host, waiters } = useRoomContext();
  const isSteady = useIsSteady(waiters.map(({ walletAddress }) => walletAddress));
  if (waiters.length === 0) return null;
  return (
    <section className={classes['waiters']} aria-label={words.waitingToJoin}>
      <Text size="sm" isStrong>
        {words.waitingToJoin}
      </Text>
      <ul className={classes['list']}>
        {waiters.map((waiter) => (
          <Waiter key={waiter.walletAddress} waiter={waiter} isSteady={isSteady} />
        ))}
      </ul>
      {waiters.length > 1 && (
        <Row gap="0.5rem">
          <Button
            size="sm"
            variant="outline"
            disabled={!isSteady}
            onClick={() => void host.denyAll()}
            data-testid="deny-all"
          >
            {words.declineAll}
          </Button>
          <Button size="sm" disabled={!isSteady} onClick={() => void host.admitAll()} data-testid="admit-all">
            {words.letAllIn}
          </Button>
        </Row>
      )}
    </section>
  );
}

function Waiter({ waiter, isSteady }: { waiter: RoomWaiter; isSteady: boolean }) {
  const words = useWords().rooms;
  const { host } = useRoomContext();
  const { walletAddress, displayName } = waiter;
  const party = usePartyName(walletAddress);
  return (
    <PersonItem
      data-testid="waiter"
      data-address={walletAddress}
      address={walletAddress}
      name={displayName ?? party}
      facts={displayName && displayName !== party ? party : ''}
    >
      <Button
        size="sm"
        variant="outline"
        disabled={!isSteady}
        onClick={() => void host.deny(walletAddress)}
        data-testid="deny"
      >
        {words.decline}
      </Button>
      <Button
        size="sm"
        disabled={!isSteady}
        onClick={() => void host.admit(walletAddress)}
        data-testid="admit"
      >
        {words.letIn}
      </Button>
    </PersonItem>
  );
}

function Person({ participant }: { participant: Participant }) {
  const words = useWords().rooms;
  const { own, isHost } = useRoomContext();
  const { id, walletAddress, displayName, role, audio, video, screen, handRaised } = participant;
  const isMe = id === own?.id;
  const roles: Record<Participant['role'], string> = {
    host: words.host,
    participant: '',
    viewer: words.viewer,
  };
  const party = usePartyName(walletAddress);
  const other = displayName && displayName !== party ? party : null;
  const facts = [isMe && words.you, roles[role], other].filter(Boolean);
  return (
    <PersonItem
      data-testid="person"
      data-address={walletAddress}
      data-role={role}
      data-audio={audio}
      address={walletAddress}
      name={displayName ?? party}
      facts={facts.join(' · ')}
    >
      <span className={classes['personState']}>
        {handRaised && <IconHandStop size={18} role="img" aria-label={words.handRaised} />}
        {screen && <IconScreenShare size={18} role="img" aria-label={words.sharingScreen} />}
        {audio ? (
          <IconMicrophone size={18} role="img" aria-label={words.microphoneOn} />
        ) : (
          <IconMicrophoneOff size={18} role="img" aria-label={words.muted} />
        )}
        {video ? (
          <IconVideo size={18} role="img" aria-label={words.cameraIsOn} />
        ) : (
          <IconVideoOff size={18} role="img" aria-label={words.cameraIsOff} />
        )}
      </span>
      {isHost && !isMe && <PersonMenu participant={participant} />}
    </PersonItem>
  );
}

function PersonMenu({ participant }: { participant: Participant }) {
  const words = useWords().rooms;
  const { host, room } = useRoomContext();
  const { walletAddress, role, audio } = participant;
  // The creator of the room always stays a host.
  const isCreator = walletAddress === room?.host;
  return (
    <DotsMenu label={words.actionsFor(useNameOf(participant))} data-testid="person-menu">
      <MenuItem
        icon={<IconMicrophoneOff size={18} aria-hidden />}
        isDisabled={!audio}
        onSelect={() => void host.mute(participant)}
        data-testid="mute-person"
      >
        {words.mute}
      </MenuItem>
      {role !== 'host' && (
        <MenuItem
          icon={<IconStar size={18} aria-hidden />}
          onSelect={() => void host.setRole(participant, 'host')}
          data-testid="make-host"
        >
          {words.makeHost}
        </MenuItem>
      )}
      {role !== 'participant' && !isCreator && (
        <MenuItem
          icon={<IconUser size={18} aria-hidden />}
          onSelect={() => void host.setRole(participant, 'participant')}
          data-testid="make-participant"
        >
          {role === 'host' ? words.removeAsHost : words.makeParticipant}
        </MenuItem>
      )}
      {role !== 'viewer' && !isCreator && (
        <MenuItem
          icon={<IconEye size={18} aria-hidden />}
          onSelect={() => void host.setRole(participant, 'viewer')}
          data-testid="make-viewer"
        >
          {words.makeViewer}
        </MenuItem>
      )}
      {!isCreator && (
        <MenuItem
          isDanger
          icon={<IconUserMinus size={18} aria-hidden />}
          onSelect={() => void host.remove(participant)}
          data-testid="remove-person"
        >
          {words.removePerson}
        </MenuItem>
      )}
    </DotsMenu>
  );
}
