import { Modal } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import classes from './Dialog.module.css';

interface Props {
  title: string;
  onClose: () => void;
  /** Wide, for forms and steps. */
  isWide?: boolean;
  /** Whether only the dialog's own buttons close it, because its content would be lost. */
  isHeld?: boolean;
  testId: string;
  children: ReactNode;
}

/** A dialog above the page. A click outside must not discard what the user has typed. */
export function Dialog({ title, onClose, isWide = false, isHeld = false, testId, children }: Props) {
  useReturnedFocus();
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={isWide ? 'lg' : 'md'}
      radius="lg"
      classNames={classes}
      closeOnClickOutside={!isHeld && !isWide}
      closeOnEscape={!isHeld}
      withCloseButton={!isHeld}
      closeButtonProps={{ 'aria-label': 'Close', size: 'lg' }}
      returnFocus={false}
      data-testid={testId}
    >
      {children}
    </Modal>
  );
}

/** Returns the focus to the element that had it before, or to the page if that is gone. */
function useReturnedFocus(): void {
  const [before] = useState(() => document.activeElement as HTMLElement | null);
  useEffect(
    () => () => {
      const target = before?.isConnected ? before : document.querySelector('main');
      target?.focus({ preventScroll: true });
    },
    [before],
  );
}
