import { IconPlus, IconX } from '@tabler/icons-react';
import { useRef } from 'react';
import { Avatar } from '../people/Avatar.tsx';
import { Name } from '../people/Name.tsx';
import { usePeople } from '../people/usePeople.ts';
import { partyName } from '../people/partyName.ts';
import { IconButton } from '../ui/Button.tsx';
import { TextField } from '../ui/Fields.tsx';
import { isComposing } from '../ui/isComposing.ts';
import { useWords } from '../words/WordsContext.tsx';
import classes from './Groups.module.css';
import type { PeopleChoice } from './usePeopleChoice.ts';

/** How many people are suggested at once. */
const mostSuggestions = 6;

interface Props {
  choice: PeopleChoice;
  autoFocus?: boolean;
}

/** Asks for people by name, address, ENS name or call link. Those chosen are listed, and people the user knows are suggested. */
export function PeopleField({ choice, autoFocus = false }: Props) {
  const words = useWords().groups;
  const field = useRef<HTMLInputElement>(null);
  const { chosen, text, suggestions } = choice;
  // The pressed button goes away.
  const andBack = (change: (address: string) => void) => (address: string) => {
    change(address);
    field.current?.focus();
  };
  const choose = andBack(choice.choose);
  return (
    <div className={classes['people']}>
      <TextField
        ref={field}
        label={words.people}
        hint={words.peopleHint}
        error={choice.refused}
        value={text}
        onChange={({ currentTarget }) => choice.setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || text.trim() === '' || isComposing(event)) return;
          // The next Enter, with an empty field, sends the form.
          event.preventDefault();
          void choice.take();
        }}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        autoFocus={autoFocus}
        data-testid="people-to-add"
      />
      {chosen.length > 0 && <Chosen chosen={chosen} onUnchoose={andBack(choice.unchoose)} />}
      {suggestions.length > 0 && (
        <ul className={classes['suggestions']} aria-label={words.suggestions}>
          {suggestions.slice(0, mostSuggestions).map(({ address, name }) => (
            <li key={address}>
              <button
                type="button"
                className={classes['suggestion']}
                onClick={() => choose(address)}
                title={address}
                data-testid="suggested-person"
              >
                <Avatar address={address} size={24} />
                <span>{name}</span>
                <IconPlus size={14} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface ChosenProps {
  chosen: readonly string[];
  onUnchoose: (address: string) => void;
}

function Chosen({ chosen, onUnchoose }: ChosenProps) {
  const words = useWords().groups;
  const people = usePeople(chosen);
  return (
    <ul className={classes['chosen']} aria-label={words.chosen}>
      {chosen.map((address) => (
        <li key={address} className={classes['chip']} data-testid="chosen-person">
          <Avatar address={address} size={24} />
          <Name address={address} />
          <IconButton
            size="sm"
            label={words.unchoose(people.get(address)?.name ?? partyName(address))}
            onClick={() => onUnchoose(address)}
          >
            <IconX size={16} aria-hidden />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}
