import { useState } from 'react';
import type { BackendRoom } from '@parley/sdk';
import { Dialog } from '../../ui/Dialog.tsx';
import { TokenForm } from './TokenForm.tsx';
import type { Tried } from './codeOf.ts';
import { TriedToken } from './TriedToken.tsx';

interface Props {
  /** The room to join; null to choose one. */
  room: BackendRoom | null;
  onClose: () => void;
}

/** Does what a backend does: makes a room if there is none, creates a participant token, and opens the room as that guest. */
export function TryIt({ room, onClose }: Props) {
  const [tried, setTried] = useState<Tried | null>(null);
  /** The room of the last guest, which is also that of the next one unless the user chooses another. */
  const [last, setLast] = useState(room?.id ?? '');
  return (
    <Dialog title={tried ? 'Your guest link' : 'Try it'} onClose={onClose} isWide testId="try-dialog">
      {tried ? (
        <TriedToken
          tried={tried}
          onAgain={() => {
            setLast(tried.subjectId);
            setTried(null);
          }}
          onClose={onClose}
        />
      ) : (
        <TokenForm room={room} chosen={last} onCreated={setTried} onCancel={onClose} />
      )}
    </Dialog>
  );
}
