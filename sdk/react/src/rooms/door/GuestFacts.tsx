import type { Guest } from '@parley/sdk';
import { IconCheck, IconX } from '@tabler/icons-react';
import { GuestMark } from '../../people/GuestMark.tsx';
import { Text } from '../../ui/Basics.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import classes from './Door.module.css';

/** Under which name a guest joins, and what the guest's link allows. */
export function GuestFacts({ guest: { displayName, identity, role, grants } }: { guest: Guest }) {
  const words = useWords().rooms;
  const { canPublish, canSubscribe, canChat } = grants;
  const rights: [isAllowed: boolean, what: string][] = [
    [canSubscribe, words.maySubscribe],
    [canPublish.includes('microphone'), words.maySpeak],
    [canPublish.includes('camera'), words.mayShowCamera],
    [canPublish.includes('screen'), words.mayShareScreen],
    [canChat, words.mayChat],
  ];
  return (
    <div>
      <p className={classes['joinsAs']} data-testid="guest-name">
        {words.joinAs} <strong>{displayName ?? identity}</strong> <GuestMark />
      </p>
      {role === 'host' && <Text size="sm">{words.youAreHost}</Text>}
      {role === 'viewer' && <Text size="sm">{words.youAreViewer}</Text>}
      <ul className={classes['rights']} aria-label={words.whatLinkAllows}>
        {rights.map(([isAllowed, what]) => (
          <li key={what} data-allowed={isAllowed} data-testid="guest-right">
            {isAllowed ? (
              <IconCheck size={18} role="img" aria-label={words.allowed} />
            ) : (
              <IconX size={18} role="img" aria-label={words.notAllowed} />
            )}
            {what}
          </li>
        ))}
      </ul>
    </div>
  );
}
