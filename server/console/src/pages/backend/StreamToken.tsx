import { Checkbox } from '@mantine/core';
import type { BackendStream, NewStreamToken } from '@parley/sdk';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogForm } from '../../ui/DialogForm.tsx';
import { GuestFields, isIdentity } from './GuestFields.tsx';
import type { Tried } from './codeOf.ts';
import { TriedToken } from './TriedToken.tsx';

/** Creates a participant token for a viewer of a stream, and shows its link. */
export function StreamToken({ stream, onClose }: { stream: BackendStream; onClose: () => void }) {
  const { client } = useSignedIn();
  const [guest, setGuest] = useState({ identity: 'alice', displayName: 'Alice' });
  const [canChat, setCanChat] = useState(true);
  const [wasTried, setWasTried] = useState(false);
  const [tried, setTried] = useState<Tried | null>(null);
  const { run, isRunning, problem } = useAction((token: NewStreamToken) =>
    client.streams.createToken(stream.id, token),
  );
  const create = async () => {
    setWasTried(true);
    const { identity, displayName } = guest;
    if (!isIdentity(identity)) return;
    const name = displayName.trim();
    const wanted = { identity, ...(name && { displayName: name }), canChat };
    const created = await run(wanted);
    const { id: subjectId } = stream;
    if (created) setTried({ kind: 'streams', subjectId, newRoom: null, wanted, token: created.token });
  };
  return (
    <Dialog
      title={tried ? 'Your guest link' : `Guest link for ${stream.title}`}
      onClose={onClose}
      isWide
      testId="try-dialog"
    >
      {tried ? (
        <TriedToken tried={tried} onAgain={() => setTried(null)} onClose={onClose} />
      ) : (
        <DialogForm
          onSubmit={create}
          onCancel={onClose}
          label="Create guest link"
          isRunning={isRunning}
          problem={problem}
          testId="create-token"
        >
          <GuestFields value={guest} onChange={setGuest} wasTried={wasTried} />
          <Checkbox
            label="May write in the chat"
            checked={canChat}
            onChange={({ currentTarget }) => setCanChat(currentTarget.checked)}
            data-testid="may-canChat"
          />
        </DialogForm>
      )}
    </Dialog>
  );
}
