import type { ConferenceRoom } from '@parley/sdk';
import { IconDoorEnter, IconLock, IconPlayerRecordFilled, IconShieldCheck } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { atMoment } from '../../core/format.ts';
import { rememberedName, rememberName } from '../../core/rememberedName.ts';
import { DeviceCheck } from '../../devices/DeviceCheck.tsx';
import { useDevicePreview, type InputKind } from '../../devices/useDevicePreview.ts';
import { useDevices } from '../../devices/useDevices.ts';
import { GateCheck } from '../../gates/GateCheck.tsx';
import { usePartyName } from '../../people/usePeople.ts';
import { ProblemAlert } from '../../problems/ProblemAlert.tsx';
import { Alert, Badge, Card, Stack, Text } from '../../ui/Basics.tsx';
import { Button } from '../../ui/Button.tsx';
import { classNames } from '../../ui/classNames.ts';
import { TextField } from '../../ui/Fields.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import { InvitePeople } from '../invite/InvitePeople.tsx';
import { useRoomContext } from '../useRoom.ts';
import classes from './Door.module.css';
import { describePeople } from './describePeople.ts';
import { GuestFacts } from './GuestFacts.tsx';

/** The door of a room: device preview, display name, and the conditions to enter. @param name @default the name of the last time */
export function Door({ name: given }: { name?: string }) {
  const words = useWords().rooms;
  const { controller, phase, room, access, problem, address, host, isHost, guest, isGranted } =
    useRoomContext();
  const hasVideo = room?.video !== false && isGranted('camera');
  const hasAudio = room?.audio !== false && isGranted('microphone');
  const { choose } = useDevices();
  const devices = useDevicePreview({
    setDevice: choose,
    hasVideo,
    hasAudio,
    isPaused: phase === 'joining',
  });
  const kinds: InputKind[] = [
    ...(hasAudio ? ['microphone' as const] : []),
    ...(hasVideo ? ['camera' as const] : []),
  ];
  const party = usePartyName(address);
  const [name, setName] = useState(() => given ?? rememberedName());
  if (!room) return null;
  const entry = isHost || guest ? 'enter' : (room.entry ?? (room.settings.waitingRoom ? 'wait' : 'enter'));
  const isRefused = entry === 'locked' || entry === 'removed' || entry === 'full';
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
      className={classNames(classes['door'], kinds.length === 0 && classes['withoutDevices'])}
      data-testid="lobby"
      data-room={room.id}
    >
      {kinds.length > 0 && <DeviceCheck devices={devices} kinds={kinds} own={address} />}
      <Stack gap="1.25rem">
        <Card>
          <form onSubmit={join}>
            <Stack>
              <div>
                <h1 className={classes['heading']} dir="auto">
                  {room.name}
                </h1>
                <Text size="sm" isDimmed>
                  {room.status === 'waiting' && room.startsAt
                    ? `${words.startsAt(atMoment(room.startsAt))} `
                    : ''}
                  {describePeople(room, isHost, words)}
                </Text>
                <Facts room={room} />
              </div>
              {guest ? (
                <GuestFacts guest={guest} />
              ) : (
                <TextField
                  label={words.yourName}
                  placeholder={party}
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
              {isRefused && (
                <Alert
                  tone="warning"
                  role="status"
                  title={words.entry[entry]}
                  icon={<IconLock size={20} aria-hidden />}
                  data-testid="entry"
                  data-entry={entry}
                />
              )}
              {problem && !isRefused && (
                <ProblemAlert
                  problem={problem}
                  onRetry={isUnasked ? () => void controller.checkAccess() : undefined}
                />
              )}
              {isRefused ? (
                <Button
                  size="lg"
                  variant="outline"
                  onClick={() => void controller.load()}
                  data-testid="look-again"
                >
                  {words.lookAgain}
                </Button>
              ) : (
                <Button
                  type="submit"
                  size="lg"
                  icon={<IconDoorEnter size={20} aria-hidden />}
                  isLoading={phase === 'joining'}
                  disabled={isLacking}
                  data-testid="join-room"
                >
                  {entry === 'wait' ? words.askToJoin : words.join}
                </Button>
              )}
            </Stack>
          </form>
        </Card>
        {isHost && !guest && (
          <Card>
            <InvitePeople room={room} onInvite={host.invite} />
          </Card>
        )}
      </Stack>
    </div>
  );
}

function Facts({ room: { gate, settings, isRecording } }: { room: ConferenceRoom }) {
  const words = useWords().rooms;
  const isRecorded = isRecording || settings.record;
  if (!gate && !settings.locked && !isRecorded) return null;
  return (
    <div className={classes['badges']}>
      {gate && (
        <Badge>
          <IconShieldCheck size={14} aria-hidden /> {words.holdersOnly}
        </Badge>
      )}
      {isRecorded && (
        <Badge tone="danger">
          <IconPlayerRecordFilled size={14} aria-hidden /> {words.recorded}
        </Badge>
      )}
      {settings.locked && (
        <Badge tone="warning">
          <IconLock size={14} aria-hidden /> {words.locked}
        </Badge>
      )}
    </div>
  );
}
