import { Button, Text } from '@mantine/core';
import { IconPlayerStop } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { explainStream } from '../../streams/explainStream.ts';
import { useStudio } from '../../streams/useStudio.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';

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
  const end = useAction(controller.end, { toProblem: explainStream });
  return (
    <ConfirmDialog title="End this stream?" action={end} label="End stream" onClose={onClose} testId="end">
      <Text>
        The stream ends for all viewers and cannot be restarted. Its link, key and chat stop working.
      </Text>
    </ConfirmDialog>
  );
}
