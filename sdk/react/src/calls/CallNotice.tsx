import { IconMicrophone, IconPhone, IconVideo, IconX } from '@tabler/icons-react';
import { Avatar } from '../people/Avatar.tsx';
import { Name } from '../people/Name.tsx';
import { ProblemAlert } from '../problems/ProblemAlert.tsx';
import { Text } from '../ui/Basics.tsx';
import { Button, IconButton } from '../ui/Button.tsx';
import { useWords } from '../words/WordsContext.tsx';
import classes from './CallNotice.module.css';
import type { CallSummary } from './callState.ts';
import { describeSummary } from './describeSummary.ts';
import { useCall } from './useCall.ts';

interface Props {
  /** Lets the user leave a voicemail after an unanswered call. @default no voicemail */
  onVoicemail?: (to: string) => void;
}

/** Shows how the last call ended, or why it failed. Renders nothing if there is nothing to say. */
export function CallNotice({ onVoicemail }: Props) {
  const { summary, problem, start, dismiss } = useCall();
  // An invalid address is not shown here, because the form reports it next to the field.
  if (problem && problem.problem.code !== 'INVALID_ADDRESS') {
    const { wanted } = problem;
    return (
      <div className={classes['notice']}>
        <ProblemAlert
          problem={problem.problem}
          onRetry={wanted ? () => void start(wanted.to, wanted.type) : undefined}
          onClose={dismiss}
        />
      </div>
    );
  }
  return summary && <Summary summary={summary} onVoicemail={onVoicemail} />;
}

function Summary({ summary, onVoicemail }: { summary: CallSummary; onVoicemail: Props['onVoicemail'] }) {
  const { start, dismiss } = useCall();
  const { calls: words, common } = useWords();
  const { peer, type, outcome, direction } = summary;
  const canLeave = onVoicemail && direction === 'outgoing' && outcome !== 'ended';
  const { title, detail } = describeSummary(summary, words);
  return (
    <section className={classes['summary']} role="status" data-testid="call-summary" data-outcome={outcome}>
      <Avatar address={peer} size={44} />
      <div className={classes['facts']}>
        <Text isStrong>{title}</Text>
        <Text size="sm" isDimmed>
          <Name address={peer} />
          {detail && ` · ${detail}`}
        </Text>
      </div>
      <div className={classes['buttons']}>
        {canLeave && (
          <Button
            icon={<IconMicrophone size={18} aria-hidden />}
            onClick={() => onVoicemail(peer)}
            data-testid="offer-voicemail"
          >
            {words.leaveVoicemail}
          </Button>
        )}
        <Button
          variant="light"
          icon={type === 'video' ? <IconVideo size={18} aria-hidden /> : <IconPhone size={18} aria-hidden />}
          onClick={() => void start(peer, type)}
          data-testid="summary-call-again"
        >
          {words.callAgain}
        </Button>
        <IconButton label={common.dismiss} onClick={dismiss}>
          <IconX size={18} aria-hidden />
        </IconButton>
      </div>
    </section>
  );
}
