import { IconX, type Icon } from '@tabler/icons-react';
import type { ComponentPropsWithoutRef, CSSProperties, ReactNode } from 'react';
import classes from './Basics.module.css';
import { IconButton } from './Button.tsx';
import { classNames } from './classNames.ts';

/** Text for screen readers only. */
export const VisuallyHidden = ({ className, ...rest }: ComponentPropsWithoutRef<'span'>) => (
  <span className={classNames(classes['hidden'], className)} {...rest} />
);

interface GapProps extends ComponentPropsWithoutRef<'div'> {
  /** A CSS length. @default '1rem' */
  gap?: string;
}

const withGap = (gap: string | undefined, style: CSSProperties | undefined) =>
  ({ ...(gap && { '--gap': gap }), ...style }) as CSSProperties;

/** Elements below each other. */
export const Stack = ({ gap, className, style, ...rest }: GapProps) => (
  <div className={classNames(classes['stack'], className)} style={withGap(gap, style)} {...rest} />
);

/** Elements in a row that wraps. */
export const Row = ({ gap, className, style, ...rest }: GapProps) => (
  <div className={classNames(classes['row'], className)} style={withGap(gap, style)} {...rest} />
);

interface TextProps extends ComponentPropsWithoutRef<'p'> {
  size?: 'xs' | 'sm' | 'md';
  isDimmed?: boolean;
  isStrong?: boolean;
}

/** A paragraph. */
export const Text = ({ size = 'md', isDimmed, isStrong, className, ...rest }: TextProps) => (
  <p
    className={classNames(
      classes['text'],
      isDimmed && classes['dimmed'],
      isStrong && classes['strong'],
      className,
    )}
    data-size={size}
    {...rest}
  />
);

/** A card on the page. */
export const Card = ({ className, ...rest }: ComponentPropsWithoutRef<'div'>) => (
  <div className={classNames(classes['card'], className)} {...rest} />
);

interface BadgeProps extends ComponentPropsWithoutRef<'span'> {
  tone?: 'primary' | 'neutral' | 'warning' | 'danger';
}

/** A short state or count. */
export const Badge = ({ tone = 'primary', className, ...rest }: BadgeProps) => (
  <span className={classNames(classes['badge'], className)} data-tone={tone} {...rest} />
);

interface EmptyProps {
  icon: Icon;
  title: string;
  children?: ReactNode;
  /** A button for the next step. */
  action?: ReactNode;
}

/** A placeholder for an empty list. */
export const Empty = ({ icon: EmptyIcon, title, children, action }: EmptyProps) => (
  <div className={classes['empty']}>
    <EmptyIcon size={36} stroke={1.25} aria-hidden />
    <p className={classes['emptyTitle']}>{title}</p>
    {children && <div className={classes['emptyText']}>{children}</div>}
    {action}
  </div>
);

interface AlertProps extends Omit<ComponentPropsWithoutRef<'div'>, 'title'> {
  /** @default 'danger' */
  tone?: 'danger' | 'warning' | 'info';
  title: string;
  icon?: ReactNode;
  /** The label of the button that dismisses it, for screen readers. Needed with onClose. */
  closeLabel?: string;
  onClose?: (() => void) | undefined;
}

/** A notice with a title. */
export const Alert = ({ tone = 'danger', title, icon, closeLabel, onClose, ...rest }: AlertProps) => {
  const { className, children, ...attributes } = rest;
  return (
    <div role="alert" className={classNames(classes['alert'], className)} data-tone={tone} {...attributes}>
      {icon}
      <div className={classes['alertBody']}>
        <span className={classes['alertTitle']}>{title}</span>
        {children}
      </div>
      {onClose && (
        <IconButton label={closeLabel ?? 'Dismiss'} size="sm" onClick={onClose}>
          <IconX size={16} aria-hidden />
        </IconButton>
      )}
    </div>
  );
};
