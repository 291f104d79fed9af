import { NativeSelect } from '@mantine/core';
import { countries } from './phoneNumbers.ts';

interface Props {
  label: string;
  value: string;
  onChange: (country: string) => void;
  /** The label of the option "all countries"; without it, there is no such option. */
  all?: string;
  testId: string;
}

/** A choice of countries. It is a native list, which works best on phones and with keyboards. */
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
