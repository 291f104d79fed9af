import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface Props {
  /** What it is about: "What to do with Ada". */
  label: string;
  size?: 'sm' | 'lg';
  testId: string;
  /** Its items. */
  children: ReactNode;
}

/** What can be done with one of many, behind its dots. */
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
