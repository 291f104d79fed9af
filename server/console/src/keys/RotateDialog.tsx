import { Text } from '@mantine/core';
import type { ApiKey, CreatedApiKey } from '@parley/sdk';
import { useState } from 'react';
import { useAction } from '../data/useAction.ts';
import { useList } from '../data/useList.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { shortKey } from './keyState.ts';
import { ConfirmStep, DeployStep, MintStep, RevokeStep } from './rotationSteps.tsx';
import { beginRotation, endRotation } from './rotations.ts';
import { Steps } from './Steps.tsx';
import { useSuccessor } from './useSuccessor.ts';

interface Props {
  apiKey: ApiKey;
  onClose: () => void;
}

/** Replaces a key without interruption, in four steps. After the first step, the user may close the dialog and continue later. */
export function RotateDialog({ apiKey, onClose }: Props) {
  const { client, queries } = useSignedIn();
  const [unstored, setUnstored] = useState<CreatedApiKey | null>(null);
  const [isDeployed, setIsDeployed] = useState(false);
  const successor = useSuccessor(apiKey);
  useList(queries.keys, { everyMs: 3_000 });
  const { run, isRunning, problem } = useAction(() => client.apiKeys.rotate(apiKey.id), {
    refreshes: ['keys'],
  });
  const mint = async () => {
    const made = await run();
    if (!made) return;
    setUnstored(made);
    beginRotation(apiKey.id, made.id);
  };
  const close = () => {
    if (apiKey.status === 'revoked') endRotation(apiKey.id);
    onClose();
  };
  const current = stepOf({ apiKey, hasSuccessor: !!successor && !unstored, isDeployed });
  return (
    <Dialog
      title={`Rotate “${apiKey.name}”`}
      onClose={close}
      isWide
      // The answer has the secret, which only this dialog can show.
      isHeld={isRunning || unstored !== null}
      testId="rotate-dialog"
    >
      <Text size="sm" c="dimmed" mb="md" style={{ overflowWrap: 'anywhere' }}>
        Replaces <code>{shortKey(apiKey)}</code> without interruption. Both keys work until you revoke this
        one.
      </Text>
      <Steps
        current={current}
        steps={[
          {
            title: 'Create a new key with the same scopes',
            content: (
              <MintStep
                created={unstored}
                onMint={() => void mint()}
                isRunning={isRunning}
                problem={problem}
                onStored={() => setUnstored(null)}
              />
            ),
          },
          {
            title: 'Deploy the new secret',
            content: successor && (
              <DeployStep
                old={apiKey}
                successor={successor}
                onDeployed={() => setIsDeployed(true)}
                onLater={close}
              />
            ),
          },
          {
            title: 'Revoke the old key',
            content: <RevokeStep old={apiKey} onBack={() => setIsDeployed(false)} />,
          },
          {
            title: 'Confirm that its traffic has stopped',
            content: <ConfirmStep old={apiKey} onDone={close} />,
          },
        ]}
      />
    </Dialog>
  );
}

interface Progress {
  apiKey: ApiKey;
  hasSuccessor: boolean;
  isDeployed: boolean;
}

function stepOf({ apiKey, hasSuccessor, isDeployed }: Progress): number {
  if (apiKey.status === 'revoked') return 3;
  if (!hasSuccessor) return 0;
  return isDeployed ? 2 : 1;
}
