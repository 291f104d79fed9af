import { TextInput } from '@mantine/core';
import { normalAddress, type SavedContact } from '@parley/sdk';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogForm } from '../../ui/DialogForm.tsx';

interface Props {
  /** The contact to rename; null to add one. */
  contact: SavedContact | null;
  onClose: () => void;
}

/** Adds a contact, or changes its name. */
export function ContactDialog({ contact, onClose }: Props) {
  const { people } = useSignedIn().client;
  const [address, setAddress] = useState(contact?.walletAddress ?? '');
  const [name, setName] = useState(contact?.name ?? '');
  const [wasTried, setWasTried] = useState(false);
  const wallet = normalAddress(address.trim());
  const isEnsName = /^[^\s.]+(\.[^\s.]+)+$/.test(address.trim());
  const canSave = (wallet !== null || isEnsName) && name.trim() !== '';
  const { run, isRunning, problem } = useAction(
    async () => people.saveContact(wallet ?? (await people.find(address.trim())), name.trim()),
    { refreshes: ['people'] },
  );
  const save = async () => {
    setWasTried(true);
    if (canSave && (await run())) onClose();
  };
  return (
    <Dialog
      title={contact ? `Edit ${contact.name}` : 'Add contact'}
      onClose={onClose}
      isWide
      testId="contact-dialog"
    >
      <DialogForm
        onSubmit={save}
        onCancel={onClose}
        label="Save"
        isRunning={isRunning}
        problem={problem}
        testId="save-contact"
      >
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={wasTried && name.trim() === '' && 'Enter a name.'}
          maxLength={50}
          autoComplete="off"
          data-autofocus
          data-testid="contact-name"
        />
        <TextInput
          label={contact ? 'Wallet address' : 'Wallet address or ENS name'}
          placeholder="0x… or vitalik.eth"
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
          error={
            wasTried &&
            !wallet &&
            !isEnsName &&
            'Enter a wallet address (0x and 40 characters) or an ENS name.'
          }
          readOnly={contact !== null}
          autoComplete="off"
          spellCheck={false}
          data-testid="contact-address"
        />
      </DialogForm>
    </Dialog>
  );
}
