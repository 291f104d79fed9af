import { forwardRef, type ComponentPropsWithoutRef } from 'react';
import { Tooltip } from '../../ui/Tooltip.tsx';
import classes from './InRoom.module.css';

interface Props extends Omit<ComponentPropsWithoutRef<'button'>, 'name'> {
  /** The name of the control. It stays the same while the state changes. */
  name: string;
  /** A shorter name, shown where there is space. @default name */
  caption?: string;
  /** The effect of a click in the current state, with its key. Without it, there is no tooltip. */
  hint?: string;
  /** Whether something that is usually on, such as the microphone, is off. The button is then highlighted. */
  isOff?: boolean;
  /** Whether something is on. Without `isOn` and `isOff`, the button is no switch. */
  isOn?: boolean;
  count?: number;
  'data-testid': string;
}

/** A round button of the control bar. */
export const BarButton = forwardRef<HTMLButtonElement, Props>(function BarButton(props, ref) {
  const { name, caption = name, hint, isOff, isOn, count = 0, children, ...rest } = props;
  const isPressed = isOn ?? (isOff === undefined ? undefined : !isOff);
  const button = (
    <button
      ref={ref}
      type="button"
      className={classes['button']}
      aria-label={name}
      aria-pressed={isPressed}
      data-off={isOff ?? false}
      data-on={isOn ?? false}
      data-caption={caption}
      {...rest}
    >
      {children}
      {count > 0 && (
        <span className={classes['count']} aria-hidden data-testid={`${rest['data-testid']}-count`}>
          {count > 99 ? '99+' : count}
        </span>
      )}
    </button>
  );
  return hint === undefined ? button : <Tooltip label={hint}>{button}</Tooltip>;
});
