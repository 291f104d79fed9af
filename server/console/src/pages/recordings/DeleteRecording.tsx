import { Stack, Text } from '@mantine/core';
import { useAction } from '../../data/useAction.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { ConfirmButtons } from '../../ui/ConfirmButtons.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';

interface Props {
  id: string;
  title: string;
  onClose: () => void;
}

/** Asks whether to delete a recording. */
export function DeleteRecording({ id, title, onClose }: Props) {
  const { client } = useSignedIn();
  const { run, isRunning, problem } = useAction(() => client.recordings.delete(id), {
    refreshes: ['recordings'],
  });
  return (
    <Dialog title="Delete this recording?" onClose={onClose} testId="delete-recording-dialog">
      <Stack>
        <Text size="sm">{title} and all its files are deleted permanently.</Text>
        {problem && <ProblemAlert problem={problem} />}
        <ConfirmButtons
          label="Delete recording"
          isRunning={isRunning}
          onConfirm={() => void run()}
          onClose={onClose}
          testId="delete-recording-confirm"
        />
      </Stack>
    </Dialog>
  );
}
