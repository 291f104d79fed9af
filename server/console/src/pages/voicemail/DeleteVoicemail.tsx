import { Text } from '@mantine/core';
import { usePartyName } from '@parley/react';
import { useAction } from '../../data/useAction.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';

interface Props {
  id: string;
  from: string;
  onClose: () => void;
}

/** Asks whether to delete a voicemail. */
export function DeleteVoicemail({ id, from, onClose }: Props) {
  const { client } = useSignedIn();
  const remove = useAction(() => client.voicemail.delete(id), { refreshes: ['voicemails'] });
  return (
    <ConfirmDialog
      title="Delete this voicemail?"
      action={remove}
      label="Delete"
      cancel="Keep voicemail"
      onClose={onClose}
      testId="delete-voicemail"
    >
      <Text size="sm">
        The voicemail from {usePartyName(from)} is deleted permanently from all your devices.
      </Text>
    </ConfirmDialog>
  );
}
