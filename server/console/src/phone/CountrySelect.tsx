import { NativeSelect } from '@mantine/core';
import { countries } from './phoneNumbers.ts';

interface Props {
  label: string;
  value: string;
  onChange: (country: string) => void;
  /** What stands for all of them, where all are an answer. */
  all?: string;
  testId: string;
}

/** The browser's own list: on a phone a wheel, on a keyboard the first letters. */
export function CountrySelect({ label, value, onChange, all, testId }: Props) {
  return (
    <NativeSelect
      label={label}
      data={all === undefined ? countries : [{ value: '', label: all }, ...countries]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data-testid={testId}
    />
  );
}
