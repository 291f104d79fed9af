import type { ReactNode } from 'react';
import { Button, type ButtonProps } from '../../ui/Button.tsx';
import classes from './InRoom.module.css';

interface Props {
  kind: 'calm' | 'warning';
  testId: string;
  children: ReactNode;
}

/** A notice at the top of the room. */
export function Banner({ kind, testId, children }: Props) {
  return (
    <div className={classes['banner']} data-kind={kind} data-testid={testId}>
      {children}
    </div>
  );
}

/** A button in a notice. */
export const BannerButton = (props: ButtonProps) => <Button size="sm" variant="outline" {...props} />;
