import { Button, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconEye, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { explainStream } from '../../streams/explainStream.ts';
import classes from '../../streams/Streams.module.css';
import { useStudio } from '../../streams/useStudio.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { CopyField } from '../../ui/CopyField.tsx';
import { Section } from '../../ui/Section.tsx';

type By = 'whip' | 'rtmp';

const hints: Record<By, string> = {
  whip: 'OBS 30 or newer: Settings, Stream, service WHIP. Set the keyframe interval to 1 s. Viewers see the stream within a second.',
  rtmp: 'OBS and other programs: Settings, Stream, service Custom. Set the keyframe interval to 1 s and B-frames to 0.',
};

/** The server address and key for OBS or another program. */
export function SendingSection() {
  const { state } = useStudio();
  const [chosen, setChosen] = useState<By>('whip');
  const { stream } = state;
  if (!stream) return null;
  const hasRtmp = stream.rtmpUrl !== '';
  const by = hasRtmp ? chosen : 'whip';
  return (
    <Section
      title="Stream with OBS"
      hint={hints[by]}
      tools={
        hasRtmp && (
          <SegmentedControl
            size="sm"
            aria-label="Protocol"
            value={by}
            onChange={(value) => setChosen(value)}
            data={[
              { value: 'whip', label: 'WHIP' },
              { value: 'rtmp', label: 'RTMP' },
            ]}
            data-testid="send-by"
          />
        )
      }
      testId="sending-section"
    >
      <Stack gap="1.125rem">
        <CopyField
          label="Server"
          value={by === 'whip' ? stream.whipUrl : stream.rtmpUrl}
          testId="stream-server"
        />
        <Key value={stream.streamKey} label={by === 'whip' ? 'Bearer token' : 'Stream key'} />
      </Stack>
    </Section>
  );
}

function Key({ value, label }: { value: string; label: string }) {
  const [isShown, setIsShown] = useState(false);
  const [isResetting, setIsResetting] = useState(false);
  return (
    <>
      {isShown ? (
        <CopyField
          label={label}
          description="Keep it private: anyone who has it can stream in your place."
          value={value}
          testId="stream-key"
        />
      ) : (
        <div className={classes['secret']}>
          <div>
            <Text size="sm" fw={600}>
              {label}
            </Text>
            <Text size="xs" c="dimmed">
              Hidden. Anyone who sees it can stream in your place.
            </Text>
          </div>
          <Button
            variant="light"
            size="compact-md"
            fz="sm"
            leftSection={<IconEye size={16} />}
            onClick={() => setIsShown(true)}
            data-testid="show-key"
          >
            Show key
          </Button>
        </div>
      )}
      <div>
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          fz="sm"
          leftSection={<IconRefresh size={16} />}
          onClick={() => setIsResetting(true)}
          data-testid="reset-key"
        >
          Reset key
        </Button>
      </div>
      {isResetting && <ResetDialog onClose={() => setIsResetting(false)} />}
    </>
  );
}

function ResetDialog({ onClose }: { onClose: () => void }) {
  const { controller } = useStudio();
  const reset = useAction(controller.resetKey, { toProblem: explainStream });
  return (
    <ConfirmDialog
      title="Reset the stream key?"
      action={reset}
      label="Reset key"
      onClose={onClose}
      testId="reset"
    >
      <Text>
        The current key stops working immediately. A program that streams with it is disconnected, and
        existing private links stop working.
      </Text>
    </ConfirmDialog>
  );
}
