import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface Props {
  /** The label for screen readers, for example "Actions for Ada". */
  label: string;
  size?: 'sm' | 'lg';
  testId: string;
  /** The menu items. */
  children: ReactNode;
}

/** A menu of actions on one item of a list. */
export function DotsMenu({ label, size = 'lg', testId, children }: Props) {
  return (
    <Menu position="bottom-end" width={230} shadow="lg" returnFocus>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={size} aria-label={label} data-testid={testId}>
          <IconDots size={size === 'sm' ? 16 : 18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
