import type { CreatedApiKey } from '@parley/sdk';
import { useState } from 'react';
import { Dialog } from '../ui/Dialog.tsx';
import { CreateKeyForm } from './CreateKeyForm.tsx';
import { NewSecret } from './NewSecret.tsx';

/** Creates a key, then shows its secret. While the secret is shown, only the dialog's own button closes the dialog. */
export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  return (
    <Dialog
      title={created ? 'Your new key' : 'Create API key'}
      onClose={onClose}
      isWide
      isHeld={created !== null}
      testId="create-key-dialog"
    >
      {created ? (
        <NewSecret created={created} then="Done" onStored={onClose} />
      ) : (
        <CreateKeyForm onCreated={setCreated} onCancel={onClose} />
      )}
    </Dialog>
  );
}
