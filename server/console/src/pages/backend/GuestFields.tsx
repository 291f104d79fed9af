import { TextInput } from '@mantine/core';
import classes from './Backend.module.css';

export const isIdentity = (text: string): boolean => /^[\w.@+:-]{1,64}$/.test(text);

export interface GuestDraft {
  identity: string;
  displayName: string;
}

interface Props {
  value: GuestDraft;
  onChange: (guest: GuestDraft) => void;
  /** Whether the user has tried to submit the form, so that wrong fields say so. */
  wasTried: boolean;
}

/** Who a guest is. */
export function GuestFields({ value, onChange, wasTried }: Props) {
  const { identity, displayName } = value;
  return (
    <div className={classes['pair']}>
      <TextInput
        label="Identity"
        description="Who it is in your system."
        maxLength={64}
        value={identity}
        onChange={({ currentTarget }) => onChange({ ...value, identity: currentTarget.value })}
        error={
          wasTried && !isIdentity(identity) && 'Use 1 to 64 letters, digits or _ . @ + : - without spaces.'
        }
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        data-testid="token-identity"
      />
      <TextInput
        label="Name"
        description="What the others see."
        maxLength={64}
        value={displayName}
        onChange={({ currentTarget }) => onChange({ ...value, displayName: currentTarget.value })}
        autoComplete="off"
        data-testid="token-name"
      />
    </div>
  );
}
