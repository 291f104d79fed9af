import type { Call } from '@parley/sdk';
import * as RadixDialog from '@radix-ui/react-dialog';
import { IconPhone, IconPhoneOff, IconVideo, IconVideoOff } from '@tabler/icons-react';
import { useRef, type Ref } from 'react';
import { Avatar } from '../people/Avatar.tsx';
import { Name } from '../people/Name.tsx';
import { usePartyName } from '../people/usePeople.ts';
import { VisuallyHidden } from '../ui/Basics.tsx';
import { Button } from '../ui/Button.tsx';
import overlays from '../ui/Overlays.module.css';
import { isWriting } from '../ui/useHotkeys.ts';
import { useWords } from '../words/WordsContext.tsx';
import classes from './IncomingCalls.module.css';
import { useCall, useIncomingCalls } from './useCall.ts';
import { useRinging } from './useRinging.ts';

/**
 * Rings, and shows the incoming calls until each one has been answered, declined or ended. Escape and clicks outside do not close it. It also
 * plays the tone of an outgoing call.
 */
export function IncomingCalls() {
  const { calls } = useIncomingCalls();
  const { current } = useCall();
  const words = useWords().calls;
  const first = calls[0];
  const name = usePartyName(first?.from ?? '');
  useRinging(
    first ? words.isCalling(name) : null,
    current?.status === 'ringing' && current.direction === 'outgoing',
  );
  const start = useRef<HTMLSpanElement>(null);
  const firstAnswer = useRef<HTMLButtonElement>(null);
  if (!first) return null;
  const isInCall = current !== null;
  return (
    <RadixDialog.Root open>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className={overlays['overlay']}>
          <RadixDialog.Content
            className={classes['sheet']}
            aria-describedby={undefined}
            onEscapeKeyDown={(event) => event.preventDefault()}
            onInteractOutside={(event) => event.preventDefault()}
            onOpenAutoFocus={(event) => {
              event.preventDefault();
              // A key pressed just as the dialog opens, during a call or while the user writes, must not answer or decline the new call.
              (isInCall || isWriting() ? start : firstAnswer).current?.focus();
            }}
          >
            <RadixDialog.Title asChild>
              <VisuallyHidden>
                {calls.length > 1 ? words.severalIncoming(calls.length) : words.incoming}
              </VisuallyHidden>
            </RadixDialog.Title>
            <span ref={start} tabIndex={-1} className={classes['start']} />
            {calls.map((call, index) => (
              <Ringing
                key={call.id}
                call={call}
                isInCall={isInCall}
                answerRef={index === 0 ? firstAnswer : null}
              />
            ))}
          </RadixDialog.Content>
        </RadixDialog.Overlay>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

interface RingingProps {
  call: Call;
  isInCall: boolean;
  answerRef: Ref<HTMLButtonElement>;
}

function Ringing({ call, isInCall, answerRef }: RingingProps) {
  const { answer, decline } = useIncomingCalls();
  const words = useWords().calls;
  const isVideo = call.type === 'video';
  const label = isVideo
    ? isInCall
      ? words.endAndAnswerWithVideo
      : words.answerWithVideo
    : isInCall
      ? words.endAndAnswerWithAudio
      : words.answerWithAudio;
  return (
    <section className={classes['call']} data-testid="incoming" data-type={call.type} data-from={call.from}>
      <div className={classes['face']}>
        <Avatar address={call.from} size={84} />
      </div>
      <Name address={call.from} className={classes['who']} />
      <div className={classes['kind']} role="status">
        {isVideo ? <IconVideo size={18} aria-hidden /> : <IconPhone size={18} aria-hidden />}
        {isVideo ? words.incomingVideo : words.incomingAudio}
      </div>
      <div className={classes['actions']}>
        <Button
          size="lg"
          variant="light"
          isDanger
          icon={<IconPhoneOff size={20} aria-hidden />}
          onClick={() => void decline(call)}
          data-testid="decline"
        >
          {words.decline}
        </Button>
        <Button
          ref={answerRef}
          size="lg"
          icon={isVideo ? <IconVideo size={20} aria-hidden /> : <IconPhone size={20} aria-hidden />}
          onClick={() => void answer(call)}
          aria-label={label}
          data-testid="answer"
        >
          {isInCall ? words.endAndAnswer : words.answer}
        </Button>
      </div>
      {isVideo && (
        <Button
          variant="subtle"
          className={classes['quiet']}
          icon={<IconVideoOff size={18} aria-hidden />}
          onClick={() => void answer(call, { camera: false })}
          data-testid="answer-audio"
        >
          {isInCall ? words.endAndAnswerWithoutCamera : words.answerWithoutCamera}
        </Button>
      )}
    </section>
  );
}
