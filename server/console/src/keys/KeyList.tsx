import { Button } from '@mantine/core';
import type { ApiKey } from '@parley/sdk';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useState } from 'react';
import { counted } from '../ui/numbers.ts';
import { KeyItem, type KeyTask } from './KeyItem.tsx';
import { RevokeDialog } from './RevokeDialog.tsx';
import { RotateDialog } from './RotateDialog.tsx';

/** Active keys, and on demand the revoked ones. */
export function KeyList({ keys }: { keys: ApiKey[] }) {
  const [open, setOpen] = useState<{ task: KeyTask; id: string } | null>(null);
  const [showsRevoked, setShowsRevoked] = useState(false);
  const revoked = keys.filter(({ status }) => status === 'revoked');
  const shown = [...keys.filter(({ status }) => status === 'active'), ...(showsRevoked ? revoked : [])];
  // Looked up at each rendering, so that an open dialog shows changes to its key.
  const subject = open && keys.find(({ id }) => id === open.id);
  const close = () => setOpen(null);
  return (
    <>
      <ul>
        {shown.map((key) => (
          <KeyItem key={key.id} apiKey={key} onTask={(task) => setOpen({ task, id: key.id })} />
        ))}
      </ul>
      {revoked.length > 0 && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          mt="sm"
          aria-expanded={showsRevoked}
          rightSection={showsRevoked ? <IconChevronUp size={16} /> : <IconChevronDown size={16} />}
          onClick={() => setShowsRevoked(!showsRevoked)}
          data-testid="show-revoked"
        >
          {showsRevoked ? 'Hide' : 'Show'} {counted(revoked.length, 'revoked key')}
        </Button>
      )}
      {subject && open?.task === 'revoke' && <RevokeDialog apiKey={subject} onClose={close} />}
      {subject && open?.task === 'rotate' && <RotateDialog apiKey={subject} onClose={close} />}
    </>
  );
}
