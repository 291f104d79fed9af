import { forwardRef, useId, type ComponentPropsWithoutRef, type ReactNode } from 'react';
import { VisuallyHidden } from './Basics.tsx';
import { classNames } from './classNames.ts';
import classes from './Fields.module.css';

interface FieldProps {
  label: string;
  /** Whether the label is for screen readers only. @default false */
  isLabelHidden?: boolean;
  hint?: ReactNode;
  /** What is wrong with the value. */
  error?: string | false | null;
}

interface FrameProps extends FieldProps {
  id: string;
  children: ReactNode;
}

function Frame({ id, label, isLabelHidden = false, hint, error, children }: FrameProps) {
  return (
    <div className={classes['field']}>
      <label htmlFor={id} className={classes['label']}>
        {isLabelHidden ? <VisuallyHidden>{label}</VisuallyHidden> : label}
      </label>
      {hint && (
        <span id={`${id}-hint`} className={classes['hint']}>
          {hint}
        </span>
      )}
      {children}
      {error && (
        <span id={`${id}-error`} className={classes['error']} role="alert">
          {error}
        </span>
      )}
    </div>
  );
}

const described = (id: string, { hint, error }: FieldProps) => ({
  id,
  'aria-describedby': [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined,
  'aria-invalid': error ? true : undefined,
});

type TextFieldProps = FieldProps & ComponentPropsWithoutRef<'input'>;

/** A text field of one line. */
export const TextField = forwardRef<HTMLInputElement, TextFieldProps>(function TextField(props, ref) {
  const { label, isLabelHidden, hint, error, className, ...rest } = props;
  const own = useId();
  const id = rest.id ?? own;
  return (
    <Frame {...{ id, label, isLabelHidden: isLabelHidden ?? false, hint, error: error ?? null }}>
      <input
        ref={ref}
        className={classNames(classes['input'], className)}
        dir="auto"
        {...rest}
        {...described(id, props)}
      />
    </Frame>
  );
});

type TextAreaProps = FieldProps & ComponentPropsWithoutRef<'textarea'>;

/** A text field that grows with its lines. */
export const TextArea = forwardRef<HTMLTextAreaElement, TextAreaProps>(function TextArea(props, ref) {
  const { label, isLabelHidden, hint, error, className, ...rest } = props;
  const own = useId();
  const id = rest.id ?? own;
  return (
    <Frame {...{ id, label, isLabelHidden: isLabelHidden ?? false, hint, error: error ?? null }}>
      <textarea
        ref={ref}
        rows={1}
        className={classNames(classes['input'], className)}
        dir="auto"
        {...rest}
        {...described(id, props)}
      />
    </Frame>
  );
});

export interface SelectOption {
  value: string;
  label: string;
}

type SelectProps = FieldProps & ComponentPropsWithoutRef<'select'> & { options: readonly SelectOption[] };

/** A choice from a list, with the browser's own control. */
export const Select = forwardRef<HTMLSelectElement, SelectProps>(function Select(props, ref) {
  const { label, isLabelHidden, hint, error, className, options, ...rest } = props;
  const own = useId();
  const id = rest.id ?? own;
  return (
    <Frame {...{ id, label, isLabelHidden: isLabelHidden ?? false, hint, error: error ?? null }}>
      <select
        ref={ref}
        className={classNames(classes['input'], className)}
        {...rest}
        {...described(id, props)}
      >
        {options.map(({ value, label: text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Frame>
  );
});

interface SwitchProps extends Omit<ComponentPropsWithoutRef<'input'>, 'type' | 'onChange'> {
  label: string;
  hint?: ReactNode;
  onChange?: (isOn: boolean) => void;
}

/** A setting that is on or off. */
export function Switch({ label, hint, onChange, className, ...rest }: SwitchProps) {
  const id = useId();
  return (
    <label className={classNames(classes['switch'], className)}>
      <input
        type="checkbox"
        role="switch"
        aria-describedby={hint ? id : undefined}
        onChange={({ currentTarget }) => onChange?.(currentTarget.checked)}
        {...rest}
      />
      <span className={classes['choice']}>
        <span>{label}</span>
        {hint && (
          <span id={id} className={classes['hint']}>
            {hint}
          </span>
        )}
      </span>
    </label>
  );
}

interface SegmentsProps {
  /** The name of the choice, for screen readers. */
  label: string;
  options: readonly SelectOption[];
  value: string;
  onChange: (value: string) => void;
  isDisabled?: boolean;
  'data-testid'?: string;
}

/** A choice between a few options that are all visible. */
export function Segments({ label, options, value, onChange, isDisabled = false, ...rest }: SegmentsProps) {
  const name = useId();
  return (
    <fieldset className={classes['segments']} aria-label={label} disabled={isDisabled} {...rest}>
      {options.map((option) => (
        <label key={option.value} className={classes['segment']}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
