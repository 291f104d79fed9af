import type { CreatedApiKey } from '@parley/sdk';
import { useState } from 'react';
import { Dialog } from '../ui/Dialog.tsx';
import { CreateKeyForm } from './CreateKeyForm.tsx';
import { NewSecret } from './NewSecret.tsx';

/** Makes a key, then shows its secret: from then on nothing closes the dialog but its button. */
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
