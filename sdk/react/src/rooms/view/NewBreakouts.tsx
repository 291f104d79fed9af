import { IconSitemap } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { useAction } from '../../core/useAction.ts';
import { ProblemAlert } from '../../problems/ProblemAlert.tsx';
import { Stack, Text } from '../../ui/Basics.tsx';
import { Button } from '../../ui/Button.tsx';
import { Segments, Select, TextField } from '../../ui/Fields.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import { assignByHand, assignEvenly } from '../assignBreakouts.ts';
import { nameOf } from '../roomState.ts';
import { useRoomContext } from '../useRoom.ts';
import classes from './InRoom.module.css';

const most = 50;
const longestMinutes = 24 * 60;

/** Lets a host open breakouts. */
export function NewBreakouts() {
  const words = useWords().breakouts;
  const { breakoutActions, participants } = useRoomContext();
  const [count, setCount] = useState('2');
  const [named, setNamed] = useState<ReadonlyMap<number, string>>(new Map());
  const [way, setWay] = useState('evenly');
  const [chosen, setChosen] = useState<ReadonlyMap<string, number>>(new Map());
  const [minutes, setMinutes] = useState('10');
  const { run, isRunning, problem } = useAction(breakoutActions.open);
  const isCount = /^\d+$/.test(count) && Number(count) >= 1 && Number(count) <= most;
  const isTime = minutes === '' || (Number(minutes) > 0 && Number(minutes) <= longestMinutes);
  const names = Array.from(
    { length: isCount ? Number(count) : 0 },
    (_, at) => named.get(at) ?? words.groupName(at + 1),
  );
  const isNamed = names.every((name) => name.trim() !== '');
  const open = (event: FormEvent) => {
    event.preventDefault();
    if (!isCount || !isTime || !isNamed) return;
    const trimmed = names.map((name) => name.trim());
    const rooms =
      way === 'evenly' ? assignEvenly(trimmed, participants) : assignByHand(trimmed, participants, chosen);
    void run(rooms, minutes === '' ? null : Number(minutes));
  };
  const assign = (id: string, value: string) => {
    const next = new Map(chosen);
    if (value === '') next.delete(id);
    else next.set(id, Number(value));
    setChosen(next);
  };
  const people = participants.filter(({ role }) => role !== 'host');
  return (
    <form onSubmit={open} noValidate>
      <Stack gap="0.875rem">
        <Text size="sm" isDimmed>
          {words.about}
        </Text>
        <div className={classes['fields']}>
          <TextField
            label={words.groups}
            inputMode="numeric"
            value={count}
            onChange={({ currentTarget }) => setCount(currentTarget.value)}
            error={!isCount && words.groupsBounds(most)}
            autoComplete="off"
            data-testid="breakout-count"
          />
          <TextField
            label={words.minutes}
            placeholder={words.noLimit}
            inputMode="numeric"
            value={minutes}
            onChange={({ currentTarget }) => setMinutes(currentTarget.value.trim())}
            error={!isTime && words.timeBounds}
            autoComplete="off"
            data-testid="breakout-minutes"
          />
        </div>
        <Stack gap="0.375rem">
          {names.map((name, at) => (
            <TextField
              key={at}
              label={words.nameOfGroup(at + 1)}
              isLabelHidden
              maxLength={100}
              value={name}
              onChange={({ currentTarget }) => setNamed(new Map(named).set(at, currentTarget.value))}
              error={name.trim() === '' && words.enterName}
              autoComplete="off"
              data-testid="breakout-name"
            />
          ))}
        </Stack>
        <Segments
          label={words.howToAssign}
          value={way}
          onChange={setWay}
          options={[
            { value: 'evenly', label: words.automatically },
            { value: 'byHand', label: words.byHand },
          ]}
          data-testid="breakout-way"
        />
        {way === 'byHand' &&
          people.map((person) => (
            <Select
              key={person.id}
              label={nameOf(person)}
              options={[
                { value: '', label: words.staysHere },
                ...names.map((name, at) => ({ value: String(at), label: name })),
              ]}
              value={String(chosen.get(person.id) ?? '')}
              onChange={({ currentTarget }) => assign(person.id, currentTarget.value)}
              data-testid="breakout-of"
            />
          ))}
        <Text size="sm" isDimmed>
          {people.length === 0 ? words.nobodyElse : words.hostsStay}
        </Text>
        {problem && <ProblemAlert problem={problem} />}
        <Button
          type="submit"
          icon={<IconSitemap size={18} aria-hidden />}
          isLoading={isRunning}
          data-testid="open-breakouts"
        >
          {words.open}
        </Button>
      </Stack>
    </form>
  );
}
