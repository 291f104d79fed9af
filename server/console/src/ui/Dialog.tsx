import { Modal } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import classes from './Dialog.module.css';

interface Props {
  title: string;
  onClose: () => void;
  /** A wide one, for forms and steps. */
  isWide?: boolean;
  /** Holds something that would be lost: nothing closes it but its own buttons. */
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

/** When it closes, the focus goes back to where it was; or to the page, where that is gone. */
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
