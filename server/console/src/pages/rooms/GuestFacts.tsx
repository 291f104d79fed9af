import { GuestMark } from '@parley/react';
import { Text } from '@mantine/core';
import type { Guest } from '@parley/sdk';
import { IconCheck, IconX } from '@tabler/icons-react';
import classes from './RoomsPage.module.css';

const roles: Partial<Record<Guest['role'], string>> = {
  host: 'You are a host and manage the room.',
  viewer: 'You are a viewer.',
};

/** Under which name a guest joins, and what the guest's link allows. */
export function GuestFacts({ guest: { displayName, identity, role, grants } }: { guest: Guest }) {
  const { canPublish, canSubscribe, canChat } = grants;
  const rights: [isAllowed: boolean, what: string][] = [
    [canSubscribe, 'See and hear the others'],
    [canPublish.includes('microphone'), 'Speak'],
    [canPublish.includes('camera'), 'Show your camera'],
    [canPublish.includes('screen'), 'Share your screen'],
    [canChat, 'Write in the chat'],
  ];
  return (
    <div>
      <p className={classes['joinsAs']} data-testid="guest-name">
        You join as <strong>{displayName ?? identity}</strong> <GuestMark />
      </p>
      {roles[role] && <Text size="sm">{roles[role]}</Text>}
      <ul className={classes['rights']} aria-label="What your link allows">
        {rights.map(([isAllowed, what]) => (
          <li key={what} data-allowed={isAllowed} data-testid="guest-right">
            {isAllowed ? (
              <IconCheck size={18} role="img" aria-label="Allowed:" />
            ) : (
              <IconX size={18} role="img" aria-label="Not allowed:" />
            )}
            {what}
          </li>
        ))}
      </ul>
    </div>
  );
}
