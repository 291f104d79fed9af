import { ProblemAlert } from '@parley/react';
import { Button, Flex, NativeSelect, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { IconSitemap } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { useAction } from '../../data/useAction.ts';
import { assignByHand, assignEvenly } from '../assignBreakouts.ts';
import { nameOf } from '../roomState.ts';
import { useRoom } from '../useRoom.ts';

const most = 50;
const longestMinutes = 24 * 60;

/** Lets a host open breakouts. */
export function NewBreakouts() {
  const { controller, state } = useRoom();
  const [count, setCount] = useState('2');
  const [named, setNamed] = useState<ReadonlyMap<number, string>>(new Map());
  const [way, setWay] = useState<'evenly' | 'byHand'>('evenly');
  const [chosen, setChosen] = useState<ReadonlyMap<string, number>>(new Map());
  const [minutes, setMinutes] = useState('10');
  const { run, isRunning, problem } = useAction(controller.breakouts.open);
  const isCount = /^\d+$/.test(count) && Number(count) >= 1 && Number(count) <= most;
  const isTime = minutes === '' || (Number(minutes) > 0 && Number(minutes) <= longestMinutes);
  const names = Array.from(
    { length: isCount ? Number(count) : 0 },
    (_, at) => named.get(at) ?? `Group ${at + 1}`,
  );
  const isNamed = names.every((name) => name.trim() !== '');
  const open = (event: FormEvent) => {
    event.preventDefault();
    if (!isCount || !isTime || !isNamed) return;
    const { participants } = state;
    const trimmed = names.map((name) => name.trim());
    const rooms =
      way === 'evenly' ? assignEvenly(trimmed, participants) : assignByHand(trimmed, participants, chosen);
    void run(rooms, minutes === '' ? null : Number(minutes));
  };
  const people = state.participants.filter(({ role }) => role !== 'host');
  return (
    <Flex component="form" direction="column" gap="0.875rem" onSubmit={open} noValidate>
      <Text size="sm" c="dimmed">
        Breakouts are rooms for small groups. Everybody moves there without a click, and comes back when they
        end.
      </Text>
      <Flex gap="sm">
        <TextInput
          label="Groups"
          inputMode="numeric"
          value={count}
          onChange={({ currentTarget }) => setCount(currentTarget.value)}
          error={!isCount && `1 to ${most}`}
          autoComplete="off"
          data-testid="breakout-count"
        />
        <TextInput
          label="Minutes"
          placeholder="no limit"
          inputMode="numeric"
          value={minutes}
          onChange={({ currentTarget }) => setMinutes(currentTarget.value.trim())}
          error={!isTime && 'Up to one day'}
          autoComplete="off"
          data-testid="breakout-minutes"
        />
      </Flex>
      <Stack gap={6}>
        {names.map((name, at) => (
          <TextInput
            key={at}
            aria-label={`Name of group ${at + 1}`}
            maxLength={100}
            value={name}
            onChange={({ currentTarget }) => setNamed(new Map(named).set(at, currentTarget.value))}
            error={name.trim() === '' && 'Enter a name.'}
            autoComplete="off"
            data-testid="breakout-name"
          />
        ))}
      </Stack>
      <SegmentedControl
        aria-label="How to assign people"
        value={way}
        onChange={setWay}
        data={[
          { value: 'evenly', label: 'Automatically' },
          { value: 'byHand', label: 'By hand' },
        ]}
        data-testid="breakout-way"
      />
      {way === 'byHand' &&
        people.map((person) => (
          <NativeSelect
            key={person.id}
            label={nameOf(person)}
            data={[
              { value: '', label: 'Stays here' },
              ...names.map((name, at) => ({ value: String(at), label: name })),
            ]}
            value={String(chosen.get(person.id) ?? '')}
            onChange={({ currentTarget: { value } }) => {
              const next = new Map(chosen);
              if (value === '') next.delete(person.id);
              else next.set(person.id, Number(value));
              setChosen(next);
            }}
            data-testid="breakout-of"
          />
        ))}
      <Text size="sm" c="dimmed">
        {people.length === 0
          ? 'Nobody else is here yet. You can move people later.'
          : 'Hosts stay here, and can go to each group.'}
      </Text>
      {problem && <ProblemAlert problem={problem} />}
      <Button
        type="submit"
        leftSection={<IconSitemap size={18} />}
        loading={isRunning}
        data-testid="open-breakouts"
      >
        Open breakouts
      </Button>
    </Flex>
  );
}
