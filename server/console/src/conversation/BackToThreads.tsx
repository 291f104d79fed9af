import { ActionIcon } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from 'wouter';
import classes from './Conversation.module.css';

/** The way back on a phone, which shows either the list or a conversation. @param href the page of the list */
export function BackToThreads({ href }: { href: string }) {
  return (
    <ActionIcon
      component={Link}
      href={href}
      variant="subtle"
      color="gray"
      size="lg"
      className={classes['back'] ?? ''}
      aria-label="Back to conversations"
      data-testid="back-to-threads"
    >
      <IconArrowLeft size={20} />
    </ActionIcon>
  );
}
