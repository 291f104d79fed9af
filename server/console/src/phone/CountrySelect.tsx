import { NativeSelect } from '@mantine/core';
import { countries } from './phoneNumbers.ts';

interface Props {
  label: string;
  value: string;
  onChange: (country: string) => void;
  /** The label of the choice for all countries; without it, there is no such choice. */
  all?: string;
  testId: string;
}

/** A native list, which suits phones and keyboards best. */
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
