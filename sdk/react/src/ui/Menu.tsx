import * as Dropdown from '@radix-ui/react-dropdown-menu';
import { IconCheck } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import { classNames } from './classNames.ts';
import classes from './Overlays.module.css';
import { Tooltip } from './Tooltip.tsx';

interface MenuProps {
  /** The button that opens the menu: one element that accepts a ref. */
  trigger: ReactElement;
  /** The tooltip of the button. @default none */
  tooltip?: string;
  side?: 'top' | 'right' | 'bottom' | 'left';
  align?: 'start' | 'center' | 'end';
  isOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
  className?: string;
  children: ReactNode;
  'data-testid'?: string;
}

/** A menu that a button opens. It works with arrow keys, letters and Escape, and returns the focus. */
export function Menu(props: MenuProps) {
  const {
    trigger,
    tooltip,
    side = 'bottom',
    align = 'end',
    isOpen,
    onOpenChange,
    className,
    children,
  } = props;
  const button = <Dropdown.Trigger asChild>{trigger}</Dropdown.Trigger>;
  return (
    <Dropdown.Root
      modal={false}
      dir={directionOfPage()}
      {...(isOpen === undefined ? {} : { open: isOpen })}
      {...(onOpenChange ? { onOpenChange } : {})}
    >
      {tooltip === undefined ? button : <Tooltip label={tooltip}>{button}</Tooltip>}
      <Dropdown.Portal>
        <Dropdown.Content
          className={classNames(classes['panel'], className)}
          side={side}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          data-testid={props['data-testid']}
        >
          {children}
        </Dropdown.Content>
      </Dropdown.Portal>
    </Dropdown.Root>
  );
}

/** Radix takes every page for one that is read from left to right. A menu is outside of the app's elements, so the page's direction counts. */
const directionOfPage = () =>
  typeof document !== 'undefined' && (document.body.dir || document.dir) === 'rtl' ? 'rtl' : 'ltr';

interface ItemProps {
  icon?: ReactNode;
  isDanger?: boolean;
  isDisabled?: boolean;
  /** Shows a check mark: the item is the chosen one, or is on. The item is then a radio or checkbox for screen readers. */
  isChecked?: boolean;
  /** Whether the menu stays open. @default false */
  staysOpen?: boolean;
  onSelect?: () => void;
  children: ReactNode;
  'data-testid'?: string;
}

/** An entry of a Menu. */
export function MenuItem(props: ItemProps) {
  const { icon, isDanger, isDisabled = false, isChecked, staysOpen = false, onSelect, children } = props;
  const common = {
    className: classes['item'] ?? '',
    disabled: isDisabled,
    'data-danger': isDanger || undefined,
    'data-testid': props['data-testid'],
    onSelect: (event: Event) => {
      if (staysOpen) event.preventDefault();
      onSelect?.();
    },
  };
  const content = (
    <>
      {icon}
      <span className={classes['itemLabel']}>{children}</span>
      {isChecked && <IconCheck size={16} aria-hidden />}
    </>
  );
  if (isChecked === undefined) return <Dropdown.Item {...common}>{content}</Dropdown.Item>;
  return (
    <Dropdown.CheckboxItem {...common} checked={isChecked}>
      {content}
    </Dropdown.CheckboxItem>
  );
}

/** A heading inside a Menu. */
export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <Dropdown.Label className={classes['label']}>{children}</Dropdown.Label>
);

/** A line between the entries of a Menu. */
export const MenuSeparator = () => <Dropdown.Separator className={classes['separator']} />;
