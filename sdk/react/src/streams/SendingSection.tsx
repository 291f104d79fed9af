import { IconEye, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../core/useAction.ts';
import { Row, Stack, Text } from '../ui/Basics.tsx';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { CopyField } from '../ui/CopyField.tsx';
import { Segments } from '../ui/Fields.tsx';
import { Section } from '../ui/Section.tsx';
import { useWords } from '../words/WordsContext.tsx';
import { explainStream } from './explainStream.ts';
import classes from './Streams.module.css';
import { useStudio } from './useStudio.ts';

/** The server address and key for OBS or another program. */
export function SendingSection() {
  const { state } = useStudio();
  const words = useWords().streams;
  const [chosen, setChosen] = useState('whip');
  const { stream } = state;
  if (!stream) return null;
  const hasRtmp = stream.rtmpUrl !== '';
  const isWhip = !hasRtmp || chosen === 'whip';
  return (
    <Section
      title={words.withObs}
      hint={isWhip ? words.whipAdvice : words.rtmpAdvice}
      tools={
        hasRtmp && (
          <Segments
            label={words.protocol}
            value={chosen}
            onChange={setChosen}
            options={[
              { value: 'whip', label: 'WHIP' },
              { value: 'rtmp', label: 'RTMP' },
            ]}
            data-testid="send-by"
          />
        )
      }
      data-testid="sending-section"
    >
      <Stack>
        <CopyField
          label={words.server}
          value={isWhip ? stream.whipUrl : stream.rtmpUrl}
          data-testid="stream-server"
        />
        <Key value={stream.streamKey} label={isWhip ? words.bearer : words.key} />
      </Stack>
    </Section>
  );
}

function Key({ value, label }: { value: string; label: string }) {
  const words = useWords().streams;
  const [isShown, setIsShown] = useState(false);
  const [isResetting, setIsResetting] = useState(false);
  return (
    <>
      {isShown ? (
        <CopyField label={label} hint={words.keyAdvice} value={value} data-testid="stream-key" />
      ) : (
        <div className={classes['secret']}>
          <div>
            <Text size="sm" isStrong>
              {label}
            </Text>
            <Text size="xs" isDimmed>
              {words.keyHidden}
            </Text>
          </div>
          <Button
            variant="light"
            size="sm"
            icon={<IconEye size={16} aria-hidden />}
            onClick={() => setIsShown(true)}
            data-testid="show-key"
          >
            {words.showKey}
          </Button>
        </div>
      )}
      <Row>
        <Button
          variant="subtle"
          size="sm"
          icon={<IconRefresh size={16} aria-hidden />}
          onClick={() => setIsResetting(true)}
          data-testid="reset-key"
        >
          {words.resetKey}
        </Button>
      </Row>
      {isResetting && <ResetDialog onClose={() => setIsResetting(false)} />}
    </>
  );
}

function ResetDialog({ onClose }: { onClose: () => void }) {
  const { controller } = useStudio();
  const words = useWords();
  const { resetTitle, resetAdvice, resetKey } = words.streams;
  const reset = useAction(controller.resetKey, (error) => explainStream(error, words));
  return (
    <ConfirmDialog title={resetTitle} action={reset} label={resetKey} onClose={onClose} testId="reset">
      <Text>{resetAdvice}</Text>
    </ConfirmDialog>
  );
}
