import { shortAddress } from '@parley/sdk';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useAction } from '../../data/useAction.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';

interface Props {
  id: string;
  from: string;
  onClose: () => void;
}

/** Asks whether to delete a voicemail. */
export function DeleteVoicemail({ id, from, onClose }: Props) {
  const { client } = useSignedIn();
  const { run, isRunning, problem } = useAction(() => client.voicemail.delete(id), {
    refreshes: ['voicemails'],
  });
  return (
    <Dialog title="Delete this voicemail?" onClose={onClose} testId="delete-voicemail-dialog">
      <Stack>
        <Text size="sm">
          The voicemail from {shortAddress(from)} is deleted permanently from all your devices.
        </Text>
        {problem && <ProblemAlert problem={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Keep voicemail
          </Button>
          <Button
            color="brick"
            loading={isRunning}
            onClick={() => void run()}
            data-testid="delete-voicemail-confirm"
          >
            Delete
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
