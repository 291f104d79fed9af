import { ActionIcon } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from 'wouter';
import classes from './Conversation.module.css';

/** A link back to the list, for phones, which show either the list or a conversation. @param href the list's page */
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
