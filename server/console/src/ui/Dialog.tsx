import { Modal } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import classes from './Dialog.module.css';

interface Props {
  title: string;
  onClose: () => void;
  /** Whether the dialog is wide, for forms and steps. */
  isWide?: boolean;
  /** Whether the dialog can be closed only by its own buttons, because its content would be lost otherwise. */
  isHeld?: boolean;
  testId: string;
  children: ReactNode;
}

/** A dialog above the page. A click outside does not close a wide one, because what the user has typed would be lost. */
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

/** On closing, returns the focus to the element that had it before, or to the page if that element is gone. */
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
