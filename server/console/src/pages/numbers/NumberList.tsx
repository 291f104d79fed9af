import { Button } from '@mantine/core';
import type { PhoneNumber } from '@parley/sdk';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useState } from 'react';
import { counted } from '../../ui/numbers.ts';
import { NumberItem, type NumberTask } from './NumberItem.tsx';
import { ReleaseDialog } from './ReleaseDialog.tsx';
import { RenewDialog } from './RenewDialog.tsx';

/** The account's numbers, and on demand the released ones. */
export function NumberList({ numbers }: { numbers: PhoneNumber[] }) {
  const [open, setOpen] = useState<{ task: NumberTask; id: string } | null>(null);
  const [showsReleased, setShowsReleased] = useState(false);
  const released = numbers.filter(({ status }) => status === 'released');
  const shown = numbers.filter(({ status }) => status !== 'released' || showsReleased);
  const subject = open && numbers.find(({ id }) => id === open.id);
  const close = () => setOpen(null);
  return (
    <>
      <ul>
        {shown.map((number) => (
          <NumberItem key={number.id} number={number} onTask={(task) => setOpen({ task, id: number.id })} />
        ))}
      </ul>
      {released.length > 0 && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          mt="md"
          aria-expanded={showsReleased}
          rightSection={showsReleased ? <IconChevronUp size={16} /> : <IconChevronDown size={16} />}
          onClick={() => setShowsReleased(!showsReleased)}
          data-testid="show-released"
        >
          {showsReleased ? 'Hide' : 'Show'} {counted(released.length, 'number')} you released
        </Button>
      )}
      {subject && open?.task === 'renew' && <RenewDialog number={subject} onClose={close} />}
      {subject && open?.task === 'release' && <ReleaseDialog number={subject} onClose={close} />}
    </>
  );
}
