import { useNow } from '@parley/react';
import { NativeSelect, TextInput } from '@mantine/core';
import type { CreatedApiKey, NewApiKey } from '@parley/sdk';
import { useState } from 'react';
import type { Action } from '../data/useAction.ts';
import { DialogForm } from '../ui/DialogForm.tsx';
import { onDay } from '../ui/numbers.ts';
import classes from './Keys.module.css';
import { ScopePicker } from './ScopePicker.tsx';
import { firstScopes } from './scopes.ts';

interface Props {
  create: Action<[key: NewApiKey], CreatedApiKey>;
  onCreated: (created: CreatedApiKey) => void;
  onCancel: () => void;
}

const dayMs = 24 * 60 * 60_000;
const longestName = 64;
const lifetimes = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In one year' },
];

export function CreateKeyForm({ create: { run, isRunning, problem }, onCreated, onCancel }: Props) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState(firstScopes);
  const [days, setDays] = useState('');
  const [wasTried, setWasTried] = useState(false);
  const now = useNow(60_000);
  const submit = async () => {
    setWasTried(true);
    if (!name.trim()) return;
    const created = await run({ name, scopes, ...(days && { expiresInDays: Number(days) }) });
    if (created) onCreated(created);
  };
  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onCancel}
      label="Create key"
      isRunning={isRunning}
      problem={problem}
      testId="create-key-submit"
    >
      <div className={classes['nameAndExpiry']}>
        <TextInput
          label="Name"
          description="Name the program that uses the key."
          placeholder="Production bot"
          value={name}
          maxLength={longestName}
          onChange={(event) => setName(event.currentTarget.value)}
          error={wasTried && !name.trim() && 'Enter a name.'}
          autoComplete="off"
          data-autofocus
          data-testid="key-name"
        />
        <NativeSelect
          label="Expires"
          description={
            days
              ? `It stops working on ${onDay(new Date(now.getTime() + Number(days) * dayMs))}.`
              : 'It works until you revoke it.'
          }
          data={lifetimes}
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          data-testid="key-expiry"
        />
      </div>
      <ScopePicker value={scopes} onChange={setScopes} />
    </DialogForm>
  );
}
