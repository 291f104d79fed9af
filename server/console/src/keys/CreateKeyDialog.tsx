import type { CreatedApiKey, NewApiKey } from '@parley/sdk';
import { useState } from 'react';
import { useAction } from '../data/useAction.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { CreateKeyForm } from './CreateKeyForm.tsx';
import { NewSecret } from './NewSecret.tsx';

/**
 * Creates a key, then shows its secret, which no other page can show. While the key is created, nothing closes the dialog, and while the
 * secret is shown, only the dialog's own button.
 */
export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const { client } = useSignedIn();
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  const create = useAction((key: NewApiKey) => client.apiKeys.create(key), { refreshes: ['keys'] });
  return (
    <Dialog
      title={created ? 'Your new key' : 'Create API key'}
      onClose={onClose}
      isWide
      isHeld={create.isRunning || created !== null}
      testId="create-key-dialog"
    >
      {created ? (
        <NewSecret created={created} then="Done" onStored={onClose} />
      ) : (
        <CreateKeyForm create={create} onCreated={setCreated} onCancel={onClose} />
      )}
    </Dialog>
  );
}
