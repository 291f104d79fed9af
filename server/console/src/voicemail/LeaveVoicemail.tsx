import { Avatar, clock, Name, ProblemAlert, useAudioLevel, useNow, useStore } from '@parley/react';
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconCheck, IconMicrophone, IconPlayerStopFilled } from '@tabler/icons-react';
import { useRef } from 'react';
import { useSignedIn, useWalletData } from '../session/ParleyClient.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import classes from './LeaveVoicemail.module.css';
import { longestSeconds, useRecording, type Recording } from './useRecording.ts';

/** The dialog to record a voicemail, above the pages. It is opened from chats and from the notice of an unanswered call. */
export function LeaveVoicemail() {
  const { wallet } = useSignedIn();
  return wallet && <Offered />;
}

function Offered() {
  const { leavingVoicemailFor } = useWalletData();
  const to = useStore(leavingVoicemailFor);
  return to && <RecordDialog key={to} to={to} onClose={() => leavingVoicemailFor.set(null)} />;
}

function RecordDialog({ to, onClose }: { to: string; onClose: () => void }) {
  const { state, start, stop, cancel } = useRecording(to);
  const isUnderWay = state.is === 'recording' || state.is === 'sending';
  return (
    <Dialog title="Leave a voicemail" onClose={onClose} isHeld={isUnderWay} testId="leave-voicemail">
      <Stack align="center" data-testid="recording" data-state={state.is}>
        <Group gap="sm">
          <Avatar address={to} size={32} />
          <Text component={Name} address={to} truncate />
        </Group>
        {state.is === 'ready' && state.problem && <ProblemAlert problem={state.problem} />}
        <Body state={state} />
        <Group justify="center">
          {(state.is === 'ready' || state.is === 'asking') && (
            <Button
              size="md"
              leftSection={<IconMicrophone size={20} />}
              loading={state.is === 'asking'}
              onClick={() => void start()}
              data-autofocus
              data-testid="record"
            >
              Record
            </Button>
          )}
          {state.is === 'recording' && (
            <Button
              size="md"
              leftSection={<IconPlayerStopFilled size={20} />}
              onClick={stop}
              data-testid="stop-and-send"
            >
              Stop and send
            </Button>
          )}
          {isUnderWay && (
            <Button size="md" variant="default" onClick={cancel} data-testid="cancel-recording">
              Cancel
            </Button>
          )}
          {state.is === 'sent' && (
            <Button size="md" onClick={onClose} data-testid="recording-done">
              Done
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}

function Body({ state }: { state: Recording }) {
  switch (state.is) {
    case 'ready':
      return (
        <Text size="sm" c="dimmed" ta="center">
          Record up to two minutes. The recipient hears it later.
        </Text>
      );
    case 'asking':
      return (
        <Text size="sm" c="dimmed" ta="center" role="status">
          Allow access to the microphone when the browser asks.
        </Text>
      );
    case 'recording':
      return <Level since={state.since} stream={state.stream} />;
    case 'sending':
      return (
        <Stack align="center" gap={8} w="100%" role="status">
          <Text size="sm">Sending…</Text>
          <progress
            style={{ width: 'min(16rem, 100%)', accentColor: 'var(--parley-accent)' }}
            value={state.part}
            max={1}
            aria-label="Sending the voicemail"
          />
        </Stack>
      );
    case 'sent':
      return (
        <Group gap="xs" role="status" data-testid="recording-sent">
          <IconCheck size={20} aria-hidden />
          <Text>Voicemail sent.</Text>
        </Group>
      );
  }
}

/** The input level and the duration so far. */
function Level({ since, stream }: { since: number; stream: MediaStream }) {
  const element = useRef<HTMLDivElement>(null);
  useAudioLevel(stream, element);
  const seconds = Math.min(longestSeconds, (useNow(250).getTime() - since) / 1000);
  return (
    <>
      <div ref={element} className={classes['level']} aria-hidden>
        <IconMicrophone size={32} />
      </div>
      <Text
        size="lg"
        style={{ fontVariantNumeric: 'tabular-nums' }}
        role="timer"
        data-testid="recording-time"
      >
        {clock(seconds)} of {clock(longestSeconds)}
      </Text>
    </>
  );
}
