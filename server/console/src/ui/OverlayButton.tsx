import { ActionIcon, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './OverlayButton.module.css';

interface Props {
  /** The name of the button. The name of a switch stays the same when its state changes. */
  label: string;
  /** The state of a switch; undefined for an ordinary button. */
  isOn?: boolean;
  size?: number;
  onClick: () => void;
  testId: string;
  children: ReactNode;
}

/** A round button on top of a video, dark in both colour schemes. */
export function OverlayButton({ label, isOn, size = 48, onClick, testId, children }: Props) {
  return (
    <Tooltip label={isOn === undefined ? label : `${label} ${isOn ? 'off' : 'on'}`}>
      <ActionIcon
        className={classes['button'] ?? ''}
        data-off={isOn === false}
        variant="filled"
        radius="xl"
        size={size}
        aria-label={label}
        aria-pressed={isOn}
        onClick={onClick}
        data-testid={testId}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
