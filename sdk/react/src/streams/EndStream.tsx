import { IconPlayerStop } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../core/useAction.ts';
import { Text } from '../ui/Basics.tsx';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { useWords } from '../words/WordsContext.tsx';
import { explainStream } from './explainStream.ts';
import { useStudio } from './useStudio.ts';

/** Ends the stream. Asks for confirmation, because the stream cannot be restarted. */
export function EndStream() {
  const [isOpen, setIsOpen] = useState(false);
  const { end } = useWords().streams;
  return (
    <>
      <Button
        isDanger
        variant="light"
        icon={<IconPlayerStop size={18} aria-hidden />}
        onClick={() => setIsOpen(true)}
        data-testid="end-stream"
      >
        {end}
      </Button>
      {isOpen && <EndDialog onClose={() => setIsOpen(false)} />}
    </>
  );
}

function EndDialog({ onClose }: { onClose: () => void }) {
  const { controller } = useStudio();
  const words = useWords();
  const { endTitle, endAdvice, end: label } = words.streams;
  const end = useAction(controller.end, (error) => explainStream(error, words));
  return (
    <ConfirmDialog title={endTitle} action={end} label={label} onClose={onClose} testId="end">
      <Text>{endAdvice}</Text>
    </ConfirmDialog>
  );
}
