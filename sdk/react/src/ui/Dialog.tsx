import * as RadixDialog from '@radix-ui/react-dialog';
import { IconX } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useWords } from '../words/WordsContext.tsx';
import { IconButton } from './Button.tsx';
import { classNames } from './classNames.ts';
import classes from './Overlays.module.css';

interface Props {
  title: string;
  onClose: () => void;
  /** Whether the dialog is wide, for forms. A click outside then does not close it. @default false */
  isWide?: boolean;
  /** Whether the dialog can be closed only by its own buttons. @default false */
  isHeld?: boolean;
  children: ReactNode;
  'data-testid'?: string;
}

/** A dialog above the page, which is open while it is rendered. It returns the focus to where it was. */
export function Dialog({ title, onClose, isWide = false, isHeld = false, children, ...rest }: Props) {
  const { close } = useWords().common;
  const [before] = useState(() =>
    typeof document === 'undefined' ? null : (document.activeElement as HTMLElement | null),
  );
  return (
    <RadixDialog.Root open onOpenChange={(isOpen) => !isOpen && !isHeld && onClose()}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className={classes['overlay']}>
          <RadixDialog.Content
            className={classNames(classes['dialog'], isWide && classes['wideDialog'])}
            aria-describedby={undefined}
            onInteractOutside={(event) => (isWide || isHeld) && event.preventDefault()}
            onCloseAutoFocus={(event) => {
              event.preventDefault();
              const target = before?.isConnected ? before : document.querySelector<HTMLElement>('main');
              target?.focus({ preventScroll: true });
            }}
            {...rest}
          >
            <div className={classes['dialogTop']}>
              <RadixDialog.Title className={classes['dialogTitle']}>{title}</RadixDialog.Title>
              {!isHeld && (
                <RadixDialog.Close asChild>
                  <IconButton label={close}>
                    <IconX size={18} aria-hidden />
                  </IconButton>
                </RadixDialog.Close>
              )}
            </div>
            {children}
          </RadixDialog.Content>
        </RadixDialog.Overlay>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}
