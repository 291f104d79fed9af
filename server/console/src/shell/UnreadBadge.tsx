import { VisuallyHidden } from '@mantine/core';
import { counted } from '../ui/numbers.ts';
import classes from './Navigation.module.css';

interface Props {
  count: number;
  testId: string;
}

/** The number of unread items next to a page's label; hidden if there are none. */
export function UnreadBadge({ count, testId }: Props) {
  if (count === 0) return null;
  return (
    <span className={classes['unread']} data-testid={testId} data-count={count}>
      <span aria-hidden>{count > 99 ? '99+' : count}</span>
      <VisuallyHidden>{counted(count, 'unread item')}</VisuallyHidden>
    </span>
  );
}
