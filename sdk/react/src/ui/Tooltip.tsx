import * as RadixTooltip from '@radix-ui/react-tooltip';
import type { FocusEvent, ReactElement } from 'react';
import classes from './Overlays.module.css';

interface Props {
  label: string;
  /** @default 'top' */
  side?: 'top' | 'right' | 'bottom' | 'left';
  /** Whether to show none, for example while a menu is open. @default false */
  isOff?: boolean;
  /** One element that accepts a ref. */
  children: ReactElement;
}

/** A menu that closes returns the focus to its button, on touch screens too. */
function ignoreTouch(event: FocusEvent<HTMLElement>): void {
  if (!event.currentTarget.matches(':focus-visible')) event.preventDefault();
}

/** Shows a label above an element on hover and keyboard focus, but not on touch screens. */
export function Tooltip({ label, side = 'top', isOff = false, children }: Props) {
  return (
    <RadixTooltip.Provider delayDuration={400} skipDelayDuration={200}>
      <RadixTooltip.Root {...(isOff ? { open: false } : {})}>
        <RadixTooltip.Trigger asChild onFocus={ignoreTouch}>
          {children}
        </RadixTooltip.Trigger>
        <RadixTooltip.Portal>
          <RadixTooltip.Content
            className={classes['tooltip']}
            side={side}
            sideOffset={6}
            collisionPadding={8}
          >
            {label}
          </RadixTooltip.Content>
        </RadixTooltip.Portal>
      </RadixTooltip.Root>
    </RadixTooltip.Provider>
  );
}
