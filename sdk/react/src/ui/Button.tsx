import { forwardRef, type ComponentPropsWithoutRef, type ReactNode } from 'react';
import classes from './Button.module.css';
import { classNames } from './classNames.ts';
import { Spinner } from './Spinner.tsx';

interface Look {
  /** @default 'filled'; for an IconButton 'subtle' */
  variant?: 'filled' | 'light' | 'outline' | 'subtle';
  /** @default 'md' */
  size?: 'sm' | 'md' | 'lg';
  /** Whether the action cannot be undone. @default false */
  isDanger?: boolean;
  /** Whether the action is running: the button is disabled and shows it. @default false */
  isLoading?: boolean;
}

export interface ButtonProps extends ComponentPropsWithoutRef<'button'>, Look {
  /** An icon before the label. */
  icon?: ReactNode;
  /** Whether the button takes the whole width. @default false */
  isWide?: boolean;
}

/** A button with a label. */
export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(props, ref) {
  const { variant = 'filled', size = 'md', isDanger, isLoading, icon, isWide, ...rest } = props;
  const { className, children, disabled, ...attributes } = rest;
  return (
    <button
      ref={ref}
      type="button"
      className={classNames(classes['button'], classes[variant], isWide && classes['wide'], className)}
      data-size={size}
      data-danger={isDanger || undefined}
      aria-busy={isLoading || undefined}
      disabled={disabled || isLoading}
      {...attributes}
    >
      {isLoading ? <Spinner size={16} /> : icon}
      {children}
    </button>
  );
});

export interface ButtonLinkProps extends ComponentPropsWithoutRef<'a'>, Omit<Look, 'isLoading'> {
  icon?: ReactNode;
  isWide?: boolean;
}

/** A link that looks like a button. */
export const ButtonLink = forwardRef<HTMLAnchorElement, ButtonLinkProps>(function ButtonLink(props, ref) {
  const { variant = 'filled', size = 'md', isDanger, icon, isWide, className, children, ...rest } = props;
  return (
    <a
      ref={ref}
      className={classNames(classes['button'], classes[variant], isWide && classes['wide'], className)}
      data-size={size}
      data-danger={isDanger || undefined}
      {...rest}
    >
      {icon}
      {children}
    </a>
  );
});

export interface IconButtonProps extends Omit<ComponentPropsWithoutRef<'button'>, 'aria-label'>, Look {
  /** The name of the button, for screen readers. */
  label: string;
}

/** A button with an icon only. Wrap it in a Tooltip that shows its name. */
export const IconButton = forwardRef<HTMLButtonElement, IconButtonProps>(function IconButton(props, ref) {
  const { variant = 'subtle', size = 'md', isDanger, isLoading, label, ...rest } = props;
  const { className, children, disabled, ...attributes } = rest;
  return (
    <button
      ref={ref}
      type="button"
      className={classNames(classes['icon'], classes[variant], className)}
      data-size={size}
      data-danger={isDanger || undefined}
      aria-label={label}
      aria-busy={isLoading || undefined}
      disabled={disabled || isLoading}
      {...attributes}
    >
      {isLoading ? <Spinner size={16} /> : children}
    </button>
  );
});
