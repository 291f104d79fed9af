import { Identicon } from '@parley/react';
import { Button, Modal } from '@mantine/core';
import { shortAddress, type Call } from '@parley/sdk';
import { IconPhone, IconPhoneOff, IconVideo, IconVideoOff } from '@tabler/icons-react';
import { useCalls } from '../session/ParleyClient.tsx';
import classes from './IncomingCalls.module.css';

/** Shows the incoming calls until each one has been answered, declined or ended. Escape and clicks outside do not close the dialog. */
export function IncomingCalls({ ringing }: { ringing: Call[] }) {
  const { calls } = useCalls();
  const isInCall = calls.current !== null;
  return (
    <Modal.Root
      opened={ringing.length > 0}
      onClose={() => undefined}
      closeOnEscape={false}
      closeOnClickOutside={false}
      centered
      size={400}
      zIndex={250}
      classNames={{ content: classes['sheet'] ?? '' }}
    >
      <Modal.Overlay backgroundOpacity={0.55} blur={6} />
      <Modal.Content aria-label={ringing.length > 1 ? `${ringing.length} incoming calls` : 'Incoming call'}>
        {/* During a call, a key pressed just as the dialog opens must not answer or decline the new call. */}
        {isInCall && <span tabIndex={-1} data-autofocus className={classes['start']} />}
        {ringing.map((call, index) => (
          <Ringing key={call.id} call={call} isInCall={isInCall} takesFocus={index === 0 && !isInCall} />
        ))}
      </Modal.Content>
    </Modal.Root>
  );
}

function Ringing({ call, isInCall, takesFocus }: { call: Call; isInCall: boolean; takesFocus: boolean }) {
  const { controller } = useCalls();
  const isVideo = call.type === 'video';
  const answer = isInCall ? 'End this call and answer' : 'Answer';
  return (
    <section className={classes['call']} data-testid="incoming" data-type={call.type} data-from={call.from}>
      <div className={classes['face']}>
        <Identicon address={call.from} size={84} />
      </div>
      <div className={classes['who']} title={call.from}>
        {shortAddress(call.from)}
      </div>
      <div className={classes['kind']} role="status">
        {isVideo ? <IconVideo size={18} aria-hidden /> : <IconPhone size={18} aria-hidden />}
        {isVideo ? 'Incoming video call' : 'Incoming audio call'}
      </div>
      <div className={classes['actions']}>
        <Button
          size="md"
          px="xs"
          color="brick"
          variant="light"
          leftSection={<IconPhoneOff size={20} />}
          onClick={() => void controller.decline(call)}
          data-testid="decline"
        >
          Decline
        </Button>
        <Button
          size="md"
          px="xs"
          leftSection={isVideo ? <IconVideo size={20} /> : <IconPhone size={20} />}
          onClick={() => void controller.answer(call)}
          data-autofocus={takesFocus || undefined}
          aria-label={`${answer} ${isVideo ? 'with video' : 'with audio'}`}
          data-testid="answer"
        >
          {isInCall ? 'End and answer' : 'Answer'}
        </Button>
      </div>
      {isVideo && (
        <Button
          mt="xs"
          size="sm"
          variant="subtle"
          color="gray"
          c="dimmed"
          fw={500}
          leftSection={<IconVideoOff size={18} />}
          onClick={() => void controller.answer(call, { camera: false })}
          aria-label={`${answer} without camera`}
          data-testid="answer-audio"
        >
          {isInCall ? 'End and answer without camera' : 'Answer without camera'}
        </Button>
      )}
    </section>
  );
}
