import { DeviceCheck, type InputKind, ProblemAlert, useDevicePreview } from '@parley/react';
import { Badge, Button, Flex, Stack, Text, TextInput } from '@mantine/core';
import { shortAddress, type ConferenceRoom } from '@parley/sdk';
import { IconDoorEnter, IconLock, IconPlayerRecordFilled, IconShieldCheck } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { GateCheck } from '../../gates/GateCheck.tsx';
import { InvitePeople } from '../../rooms/InvitePeople.tsx';
import { useRoom } from '../../rooms/useRoom.ts';
import { GuestFacts } from './GuestFacts.tsx';
import { rememberName, rememberedName } from './rememberedName.ts';
import classes from './RoomsPage.module.css';
import { describePeople } from './describePeople.ts';

const microphone = ['microphone'] as const;
const camera = ['camera'] as const;

/** The lobby of a room: device preview, display name, and the conditions to enter. */
export function Lobby() {
  const { controller, state, isHost, guest, isGranted } = useRoom();
  const { room, access, problem, phase } = state;
  const hasVideo = room?.video !== false && isGranted('camera');
  const hasAudio = room?.audio !== false && isGranted('microphone');
  const devices = useDevicePreview({
    setDevice: controller.setDevice,
    hasVideo,
    hasAudio,
    isPaused: phase === 'joining',
  });
  const kinds: InputKind[] = [...(hasAudio ? microphone : []), ...(hasVideo ? camera : [])];
  const [name, setName] = useState(rememberedName);
  if (!room) return null;
  const hasConditions = room.gate !== null && !isHost && !guest;
  const isLacking = hasConditions && access?.allowed !== true;
  /** Whether the gate could not be checked. */
  const isUnasked = hasConditions && access === null && problem !== null;
  const join = (event: FormEvent) => {
    event.preventDefault();
    if (!guest) rememberName(name);
    // Closes the camera, so that the room can open it.
    const wanted = devices.release();
    void controller.join({ ...wanted, displayName: guest ? '' : name });
  };
  return (
    <div
      className={`${classes['lobby']} ${kinds.length === 0 ? classes['withoutDevices'] : ''}`}
      data-testid="lobby"
      data-room={room.id}
    >
      {kinds.length > 0 && <DeviceCheck devices={devices} kinds={kinds} own={controller.address} />}
      <Stack gap="lg" miw={0}>
        <Flex className="parley-card" component="form" direction="column" gap="1.125rem" onSubmit={join}>
          <header>
            <h1 className={classes['heading']}>{room.name}</h1>
            <Text size="sm" c="dimmed">
              {describePeople(room, isHost)}
            </Text>
            <Facts room={room} />
          </header>
          {guest ? (
            <GuestFacts guest={guest} />
          ) : (
            <TextInput
              label="Your name"
              placeholder={shortAddress(controller.address)}
              maxLength={64}
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
              autoComplete="nickname"
              data-testid="display-name"
            />
          )}
          {hasConditions && room.gate && !isUnasked && (
            <div className={classes['lacks']}>
              <GateCheck what="room" gate={room.gate} access={access} onCheck={controller.checkAccess} />
            </div>
          )}
          {problem && (
            <ProblemAlert
              problem={problem}
              onRetry={isUnasked ? () => void controller.checkAccess() : undefined}
            />
          )}
          <Button
            type="submit"
            size="md"
            leftSection={<IconDoorEnter size={20} />}
            loading={phase === 'joining'}
            disabled={isLacking}
            data-testid="join-room"
          >
            {room.settings.waitingRoom && !isHost && !guest ? 'Ask to join' : 'Join'}
          </Button>
        </Flex>
        {isHost && !guest && (
          <div className="parley-card">
            <InvitePeople room={room} isHost onInvite={controller.invite} />
          </div>
        )}
      </Stack>
    </div>
  );
}

function Facts({ room: { gate, settings, isRecording } }: { room: ConferenceRoom }) {
  const isRecorded = isRecording || settings.record;
  if (!gate && !settings.locked && !isRecorded) return null;
  return (
    <div className={classes['badges']}>
      {gate && (
        <Badge variant="light" leftSection={<IconShieldCheck size={14} />}>
          Holders only
        </Badge>
      )}
      {isRecorded && (
        <Badge color="brick" leftSection={<IconPlayerRecordFilled size={14} />}>
          Recorded
        </Badge>
      )}
      {settings.locked && (
        <Badge variant="light" color="amber" leftSection={<IconLock size={14} />}>
          Locked
        </Badge>
      )}
    </div>
  );
}
