import { ActionIcon } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from 'wouter';
import classes from './Messages.module.css';

/** On a phone, where the list and a conversation have no room beside each other. */
export function BackToThreads() {
  return (
    <ActionIcon
      component={Link}
      href="/messages"
      variant="subtle"
      color="gray"
      size="lg"
      className={classes['back'] ?? ''}
      aria-label="Back to all conversations"
    >
      <IconArrowLeft size={20} />
    </ActionIcon>
  );
}
