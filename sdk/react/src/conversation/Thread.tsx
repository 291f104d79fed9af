import type { ComponentPropsWithoutRef, MouseEvent, ReactNode } from 'react';
import { Ago } from '../core/Ago.tsx';
import { Badge } from '../ui/Basics.tsx';
import { useWords } from '../words/WordsContext.tsx';
import classes from './Conversation.module.css';

interface Props extends Omit<ComponentPropsWithoutRef<'a'>, 'title'> {
  href: string;
  /** Opens the conversation inside the app. Without it, the link is followed. */
  onOpen?: (() => void) | undefined;
  isOpen: boolean;
  unread: number;
  avatar?: ReactNode;
  title: ReactNode;
  /** When the last message was written. */
  at: Date | null;
  /** The last message. */
  last: ReactNode;
  /** A line below the last message. */
  note?: ReactNode;
}

/** A conversation in a list. */
export function Thread({ href, onOpen, isOpen, unread, avatar, title, at, last, note, ...rest }: Props) {
  const words = useWords().conversation;
  return (
    <a
      href={href}
      className={classes['thread']}
      aria-current={isOpen ? 'true' : undefined}
      data-unread={unread}
      onClick={onOpen && ((event) => openInApp(event, onOpen))}
      {...rest}
    >
      {avatar}
      <span className={classes['details']}>
        <span className={classes['line']}>
          <strong className={classes['who']} dir="auto">
            {title}
          </strong>
          {at && (
            <span className={classes['when']}>
              <Ago at={at} />
            </span>
          )}
        </span>
        <span className={classes['line']}>
          <span className={classes['last']} dir="auto">
            {last}
          </span>
          {unread > 0 && <Badge aria-label={words.unread(unread)}>{unread > 99 ? '99+' : unread}</Badge>}
        </span>
        {note && <span className={classes['note']}>{note}</span>}
      </span>
    </a>
  );
}

/** A click with a modifier key, or with another button, follows the link in a new tab as usual. */
function openInApp(event: MouseEvent, open: () => void): void {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  open();
}
