import { Text } from '@mantine/core';
import { useAction } from '../../data/useAction.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';

interface Props {
  id: string;
  title: string;
  onClose: () => void;
}

/** Asks whether to delete a recording. */
export function DeleteRecording({ id, title, onClose }: Props) {
  const { client } = useSignedIn();
  const remove = useAction(() => client.recordings.delete(id), { refreshes: ['recordings'] });
  return (
    <ConfirmDialog
      title="Delete this recording?"
      action={remove}
      label="Delete recording"
      onClose={onClose}
      testId="delete-recording"
    >
      <Text size="sm">{title} and all its files are deleted permanently.</Text>
    </ConfirmDialog>
  );
}
