import type { ComponentPropsWithoutRef, ReactNode } from 'react';
import { classNames } from '../ui/classNames.ts';
import { Linkified } from './Linkified.tsx';
import classes from './Conversation.module.css';

interface Props extends ComponentPropsWithoutRef<'div'> {
  direction: 'inbound' | 'outbound';
  /** A message with the status `failed` is marked. */
  status?: string;
}

/** A message in a bubble: the user's own on the right, in another colour. */
export const MessageBubble = ({ direction, status, className, ...rest }: Props) => (
  <div
    className={classNames(classes['bubble'], className)}
    data-direction={direction}
    data-status={status}
    {...rest}
  />
);

/** The text of a message, with clickable web addresses. */
export const MessageText = ({ text, testId }: { text: string; testId?: string }) => (
  <p className={classes['text']} dir="auto" data-testid={testId}>
    <Linkified text={text} />
  </p>
);

interface StateProps extends ComponentPropsWithoutRef<'p'> {
  children: ReactNode;
}

/** The time and status below a message. */
export const MessageState = ({ className, ...rest }: StateProps) => (
  <p className={classNames(classes['state'], className)} {...rest} />
);

/** Why a message was not sent. */
export const MessageFailure = ({ children }: { children: ReactNode }) => (
  <p className={classes['why']}>{children}</p>
);
