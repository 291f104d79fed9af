import type { Group } from '@parley/sdk';
import { useState, type FormEvent } from 'react';
import { createChats } from '../chats/ChatsController.ts';
import { useParley, useServices } from '../core/ParleyProvider.tsx';
import { useAction } from '../core/useAction.ts';
import { ProblemAlert } from '../problems/ProblemAlert.tsx';
import { Stack, Text } from '../ui/Basics.tsx';
import { Button } from '../ui/Button.tsx';
import { TextField } from '../ui/Fields.tsx';
import { useWords } from '../words/WordsContext.tsx';
import classes from './Groups.module.css';
import { PeopleField } from './PeopleField.tsx';
import { usePeopleChoice } from './usePeopleChoice.ts';

interface Props {
  /** Called with the new group, for example to open its chat. */
  onCreated: (group: Group) => void;
}

/** Creates a group: asks for its name and people. */
export function NewGroup({ onCreated }: Props) {
  const client = useParley();
  const { own } = useServices().get(createChats);
  const words = useWords().groups;
  const [name, setName] = useState('');
  const [refused, setRefused] = useState<string | null>(null);
  const people = usePeopleChoice([own]);
  const { run, isRunning, problem } = useAction(async () => {
    const members = await people.take();
    const missing = name.trim() === '' ? words.noName : null;
    setRefused(missing);
    if (missing === null && members) onCreated(await client.groups.create({ name, members: [...members] }));
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void run();
  };
  return (
    <form className={classes['form']} onSubmit={onSubmit} noValidate data-testid="new-group">
      <Stack>
        <TextField
          label={words.name}
          error={refused}
          value={name}
          maxLength={50}
          onChange={({ currentTarget }) => {
            setName(currentTarget.value);
            setRefused(null);
          }}
          autoComplete="off"
          data-testid="group-name-field"
        />
        <PeopleField choice={people} />
        <Text size="sm" isDimmed>
          {words.added}
        </Text>
        {problem && <ProblemAlert problem={problem} />}
        <div>
          <Button type="submit" isLoading={isRunning} data-testid="create-group">
            {words.create}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
