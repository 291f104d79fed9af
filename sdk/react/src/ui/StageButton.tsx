import { forwardRef, type ComponentPropsWithoutRef } from 'react';
import { classNames } from './classNames.ts';
import classes from './StageButton.module.css';
import { Tooltip } from './Tooltip.tsx';

interface Props extends Omit<ComponentPropsWithoutRef<'button'>, 'aria-label'> {
  /** The name of the button. The name of a switch stays the same when its state changes. */
  label: string;
  /** The effect of a click, as a tooltip. @default the label */
  hint?: string;
  /** The state of a switch; undefined for an ordinary button. */
  isPressed?: boolean | undefined;
  /** `active` marks a state that is on; `off` one that is off, such as a muted microphone; `danger` an action that ends something. */
  look?: 'plain' | 'active' | 'off' | 'danger';
  /** Whether to show no tooltip, for example while a menu is open. @default false */
  hasNoHint?: boolean;
}

/** A round button on top of a video, dark in both colour schemes. */
export const StageButton = forwardRef<HTMLButtonElement, Props>(function StageButton(props, ref) {
  const { label, hint, isPressed, look = 'plain', hasNoHint = false, className, ...rest } = props;
  return (
    <Tooltip label={hint ?? label} isOff={hasNoHint}>
      <button
        ref={ref}
        type="button"
        className={classNames(classes['button'], className)}
        data-look={look}
        aria-label={label}
        aria-pressed={isPressed}
        {...rest}
      />
    </Tooltip>
  );
});
