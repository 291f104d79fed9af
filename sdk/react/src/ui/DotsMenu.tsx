import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { IconButton } from './Button.tsx';
import { Menu } from './Menu.tsx';

interface Props {
  /** The name for screen readers, for example "Actions for Ada". */
  label: string;
  size?: 'sm' | 'md';
  /** The menu items. */
  children: ReactNode;
  'data-testid'?: string;
}

/** A menu of actions on one item of a list. */
export const DotsMenu = ({ label, size = 'md', children, ...rest }: Props) => (
  <Menu
    trigger={
      <IconButton label={label} size={size} {...rest}>
        <IconDots size={18} aria-hidden />
      </IconButton>
    }
  >
    {children}
  </Menu>
);
