import { TextInput } from '@mantine/core';

/** Whether a text is an address to which webhooks can be sent. */
export const isAddress = (text: string) => /^https?:\/\/\S+$/.test(text.trim());

interface Props {
  value: string;
  onChange: (value: string) => void;
  /** Whether the user has tried to save: then a wrong address is marked. */
  wasTried: boolean;
  testId: string;
}

/** The address of the user's server that gets webhooks. */
export function AddressInput({ value, onChange, wasTried, testId }: Props) {
  return (
    <TextInput
      label="URL"
      description="Events are sent to this address of your server as JSON."
      placeholder="https://example.com/hooks/parley"
      type="url"
      inputMode="url"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={wasTried && !isAddress(value) && 'Enter an address that starts with https://.'}
      autoComplete="off"
      data-autofocus
      data-testid={testId}
    />
  );
}
