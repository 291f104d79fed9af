import { Text } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './Empty.module.css';

interface Props {
  icon: Icon;
  title: string;
  children: ReactNode;
  /** A button for the next step. */
  action?: ReactNode;
  /** Whether to show it as a card of its own. */
  isCard?: boolean;
}

/** A placeholder for an empty list. */
export function Empty({ icon: EmptyIcon, title, children, action, isCard = false }: Props) {
  return (
    <div className={isCard ? `parley-card ${classes['empty']}` : classes['empty']}>
      <EmptyIcon size={36} stroke={1.25} aria-hidden />
      <Text fw={600} c="var(--mantine-color-text)">
        {title}
      </Text>
      <Text size="sm" maw="30rem">
        {children}
      </Text>
      {action}
    </div>
  );
}
