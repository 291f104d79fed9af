import { useEffect, useRef, useState, type FormEvent } from 'react';
import { useParley } from '../core/ParleyProvider.tsx';
import { useAction } from '../core/useAction.ts';
import { ProblemAlert } from '../problems/ProblemAlert.tsx';
import { Stack, Text } from '../ui/Basics.tsx';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { TextField } from '../ui/Fields.tsx';
import { useWords } from '../words/WordsContext.tsx';
import { findCallees } from './findCallee.ts';
import { useCall } from './useCall.ts';

/** Asks for the people to add to the call, which becomes a room. */
export function AddPeople({ onClose }: { onClose: () => void }) {
  const client = useParley();
  const words = useWords();
  const { addPeople } = useCall();
  const [text, setText] = useState('');
  const [refused, setRefused] = useState<string | null>(null);
  /** What the field contains now; null once the dialog is closed. */
  const latest = useRef<string | null>(null);
  useEffect(() => {
    latest.current = text;
    return () => {
      latest.current = null;
    };
  }, [text]);
  const { run, isRunning, problem } = useAction(async () => {
    const found = await findCallees(client, text, words);
    // Looking up a name takes a while. Nobody is added whose name is no longer there.
    if (latest.current !== text) return;
    setRefused(found.problem);
    if (found.problem === null) await addPeople(found.addresses);
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void run();
  };
  return (
    <Dialog title={words.calls.addPeople} onClose={onClose} data-testid="add-people-dialog">
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          <Text size="sm" isDimmed>
            {words.calls.addPeopleHint}
          </Text>
          <TextField
            label={words.calls.addPeopleField}
            hint={words.calls.addHint}
            error={refused}
            value={text}
            onChange={({ currentTarget }) => {
              setText(currentTarget.value);
              setRefused(null);
            }}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            autoFocus
            data-testid="people-to-add"
          />
          {problem && <ProblemAlert problem={problem} />}
          <Button type="submit" isLoading={isRunning} data-testid="add-them">
            {words.calls.add}
          </Button>
        </Stack>
      </form>
    </Dialog>
  );
}
