import { Modal } from '@mantine/core';
import { createContext, useContext, useEffect, useLayoutEffect, useState, type ReactNode } from 'react';
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

/** Holds the dialog around a component, or no longer. */
const HoldContext = createContext<(isHeld: boolean) => void>(() => undefined);

/** A dialog above the page. A click outside does not close a wide one, because what the user has typed would be lost. */
export function Dialog({ title, onClose, isWide = false, isHeld = false, testId, children }: Props) {
  useReturnedFocus();
  const [isBusy, setIsBusy] = useState(false);
  const canClose = !isHeld && !isBusy;
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={isWide ? 'lg' : 'md'}
      radius="lg"
      classNames={classes}
      closeOnClickOutside={canClose && !isWide}
      closeOnEscape={canClose}
      withCloseButton={canClose}
      closeButtonProps={{ 'aria-label': 'Close', size: 'lg' }}
      returnFocus={false}
      data-testid={testId}
    >
      <HoldContext value={setIsBusy}>{children}</HoldContext>
    </Modal>
  );
}

/** Holds the dialog around this component while its action runs, because closing it would not cancel the action. */
export function useHeldDialog(isRunning: boolean): void {
  const hold = useContext(HoldContext);
  // useEffect() would hold the dialog only after the request has gone out, and Escape in between would close it.
  useLayoutEffect(() => {
    if (!isRunning) return;
    hold(true);
    return () => hold(false);
  }, [hold, isRunning]);
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
