import type { NewBreakout } from '@parley/sdk';
import { IconSitemap } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { useAction } from '../../core/useAction.ts';
import { ProblemAlert } from '../../problems/ProblemAlert.tsx';
import { Stack, Text } from '../../ui/Basics.tsx';
import { Button } from '../../ui/Button.tsx';
import { Segments, Select, TextField } from '../../ui/Fields.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import { assignByHand, assignEvenly } from '../assignBreakouts.ts';
import type { RoomBreakouts } from '../RoomBreakouts.ts';
import { nameOf } from '../roomState.ts';
import { useRoomContext } from '../useRoom.ts';
import classes from './InRoom.module.css';

const most = 50;
const longestMinutes = 24 * 60;

/** What a host has entered. */
interface Draft {
  count: string;
  /** The names that the host has changed, by their places. */
  named: ReadonlyMap<number, string>;
  way: string;
  /** The place of the breakout of each participant, by their ids. */
  chosen: ReadonlyMap<string, number>;
  minutes: string;
}

const empty: Draft = { count: '2', named: new Map(), way: 'evenly', chosen: new Map(), minutes: '10' };
/** What the host of each room has entered. The panel may be closed and opened again. */
const drafts = new WeakMap<RoomBreakouts, Draft>();

/** Lets a host open breakouts. */
export function NewBreakouts() {
  const words = useWords().breakouts;
  const { breakoutActions, participants } = useRoomContext();
  const [draft, setDraft] = useState(() => drafts.get(breakoutActions) ?? empty);
  const { count, named, way, chosen, minutes } = draft;
  const change = (entered: Partial<Draft>) => {
    const next = { ...draft, ...entered };
    drafts.set(breakoutActions, next);
    setDraft(next);
  };
  const { run, isRunning, problem } = useAction(async (rooms: NewBreakout[], limit: number | null) => {
    await breakoutActions.open(rooms, limit);
    drafts.delete(breakoutActions);
  });
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
    change({ chosen: next });
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
            onChange={({ currentTarget }) => change({ count: currentTarget.value })}
            error={!isCount && words.groupsBounds(most)}
            autoComplete="off"
            data-testid="breakout-count"
          />
          <TextField
            label={words.minutes}
            placeholder={words.noLimit}
            inputMode="numeric"
            value={minutes}
            onChange={({ currentTarget }) => change({ minutes: currentTarget.value.trim() })}
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
              onChange={({ currentTarget }) => change({ named: new Map(named).set(at, currentTarget.value) })}
              error={name.trim() === '' && words.enterName}
              autoComplete="off"
              data-testid="breakout-name"
            />
          ))}
        </Stack>
        <Segments
          label={words.howToAssign}
          value={way}
          onChange={(next) => change({ way: next })}
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
