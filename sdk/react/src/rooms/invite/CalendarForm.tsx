import type { ConferenceRoom } from '@parley/sdk';
import { useState, type FormEvent } from 'react';
import { Stack, Text } from '../../ui/Basics.tsx';
import { Button } from '../../ui/Button.tsx';
import { Select, TextField } from '../../ui/Fields.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import { calendarFile, download } from './calendarFile.ts';

const durations = [15, 30, 45, 60, 90, 120, 180];

/** Downloads a calendar file with the room's link, for a start and a duration of the user's choice. */
export function CalendarForm({ room }: { room: ConferenceRoom }) {
  const words = useWords().rooms;
  const [start, setStart] = useState(() => toField(room.startsAt ?? nextHour()));
  const [minutes, setMinutes] = useState('60');
  const startsAt = new Date(start);
  const isValid = !Number.isNaN(startsAt.getTime());
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!isValid) return;
    const { name, url } = room;
    const text = calendarFile({ name, url, startsAt, minutes: Number(minutes) }, new Date());
    download(text, `${name.replace(/[^\p{L}\p{N}]+/gu, '-')}.ics`, 'text/calendar');
  };
  return (
    <form onSubmit={save} data-testid="calendar-form">
      <Stack gap="0.625rem">
        <TextField
          type="datetime-local"
          label={words.startTime}
          value={start}
          onChange={({ currentTarget }) => setStart(currentTarget.value)}
          required
          data-testid="calendar-start"
        />
        <Select
          label={words.lasts}
          options={durations.map((count) => ({ value: `${count}`, label: words.minutes(count) }))}
          value={minutes}
          onChange={({ currentTarget }) => setMinutes(currentTarget.value)}
          data-testid="calendar-minutes"
        />
        <Text size="sm" isDimmed>
          {words.calendarHint}
        </Text>
        <Button type="submit" variant="light" disabled={!isValid} data-testid="calendar-download">
          {words.download}
        </Button>
      </Stack>
    </form>
  );
}

function nextHour(): Date {
  const hour = new Date();
  hour.setHours(hour.getHours() + 1, 0, 0, 0);
  return hour;
}

/** The value of a field for local time, without seconds. */
const toField = (moment: Date) =>
  new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
