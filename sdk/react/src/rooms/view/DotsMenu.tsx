import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { IconButton } from '../../ui/Button.tsx';
import { Menu } from '../../ui/Menu.tsx';

interface Props {
  label: string;
  testId: string;
  children: ReactNode;
}

/** A button with three dots that opens a menu. */
export function DotsMenu({ label, testId, children }: Props) {
  return (
    <Menu
      trigger={
        <IconButton label={label} data-testid={testId}>
          <IconDots size={18} aria-hidden />
        </IconButton>
      }
    >
      {children}
    </Menu>
  );
}
