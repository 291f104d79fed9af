import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useCopy } from './useCopy.ts';

/** A button that copies a value. @param what the name of the value, for tooltips and screen readers */
export function CopyIcon({ value, what }: { value: string; what: string }) {
  const { isCopied, copy } = useCopy(value);
  return (
    <Tooltip label={isCopied ? 'Copied' : `Copy ${what}`}>
      <ActionIcon
        variant="subtle"
        size="lg"
        color={isCopied ? 'pine' : 'gray'}
        aria-label={isCopied ? `Copied ${what}` : `Copy ${what}`}
        onClick={copy}
      >
        {isCopied ? <IconCheck size={18} /> : <IconCopy size={18} />}
      </ActionIcon>
    </Tooltip>
  );
}
