import * as RadixPopover from '@radix-ui/react-popover';
import type { ReactElement, ReactNode } from 'react';
import { classNames } from './classNames.ts';
import classes from './Overlays.module.css';

interface Props {
  /** The button that opens it: one element that accepts a ref. */
  trigger: ReactElement;
  /** The name of the panel, for screen readers. */
  label: string;
  side?: 'top' | 'right' | 'bottom' | 'left';
  isOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
  children: ReactNode;
  'data-testid'?: string;
}

/** A panel with any content that a button opens. */
export function Popover({ trigger, label, side = 'bottom', isOpen, onOpenChange, children, ...rest }: Props) {
  return (
    <RadixPopover.Root
      {...(isOpen === undefined ? {} : { open: isOpen })}
      {...(onOpenChange ? { onOpenChange } : {})}
    >
      <RadixPopover.Trigger asChild>{trigger}</RadixPopover.Trigger>
      <RadixPopover.Portal>
        <RadixPopover.Content
          className={classNames(classes['panel'], classes['popover'])}
          aria-label={label}
          side={side}
          sideOffset={6}
          collisionPadding={8}
          {...rest}
        >
          {children}
        </RadixPopover.Content>
      </RadixPopover.Portal>
    </RadixPopover.Root>
  );
}
