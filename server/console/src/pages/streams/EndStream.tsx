import { Button, Stack, Text } from '@mantine/core';
import { IconPlayerStop } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { explainStream } from '../../streams/explainStream.ts';
import { useStudio } from '../../streams/useStudio.ts';
import { ConfirmButtons } from '../../ui/ConfirmButtons.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';

/** Ends the stream. Asks for confirmation, because the stream cannot be restarted. */
export function EndStream() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        color="brick"
        variant="light"
        leftSection={<IconPlayerStop size={18} />}
        onClick={() => setIsOpen(true)}
        data-testid="end-stream"
      >
        End stream
      </Button>
      {isOpen && <EndDialog onClose={() => setIsOpen(false)} />}
    </>
  );
}

function EndDialog({ onClose }: { onClose: () => void }) {
  const { controller } = useStudio();
  const { run, isRunning, problem } = useAction(
    async () => {
      await controller.end();
      return true;
    },
    { toProblem: explainStream },
  );
  const end = async () => {
    if (await run()) onClose();
  };
  return (
    <Dialog title="End this stream?" onClose={onClose} testId="end-dialog">
      <Stack gap="md">
        <Text>
          The stream ends for all viewers and cannot be restarted. Its link, key and chat stop working.
        </Text>
        {problem && <ProblemAlert problem={problem} />}
        <ConfirmButtons
          label="End stream"
          isRunning={isRunning}
          onConfirm={() => void end()}
          onClose={onClose}
          testId="end-confirm"
        />
      </Stack>
    </Dialog>
  );
}
