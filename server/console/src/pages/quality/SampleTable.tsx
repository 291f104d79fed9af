import { useState } from 'react';
import { counted, atTime, inDigits } from '../../ui/numbers.ts';
import { describePath } from './describe.ts';
import type { Sample } from './joinParts.ts';
import classes from './Quality.module.css';

type Value = string | number | null | undefined;

interface Group {
  title: string;
  columns: [title: string, valueOf: (sample: Sample) => Value][];
}

const groups: Group[] = [
  {
    title: 'Connection',
    columns: [
      ['Path', ({ path }) => describePath(path)],
      ['Round trip, ms', ({ roundTripMs }) => roundTripMs],
    ],
  },
  {
    title: 'Sent',
    columns: [
      ['kbit/s', ({ sending }) => sending?.kbps],
      ['Possible, kbit/s', ({ sending }) => sending?.availableKbps],
      ['Lost, %', ({ sending }) => sending?.lossPercent],
      ['Jitter, ms', ({ sending }) => sending?.jitterMs],
      ['Layers', ({ sending }) => sending?.layers],
      ['Height', ({ sending }) => sending?.height],
      ['Frames/s', ({ sending }) => sending?.fps],
      ['Limited by', ({ sending }) => sending?.limitedBy],
      ['Score', ({ scores }) => scores.sending],
    ],
  },
  {
    title: 'Received',
    columns: [
      ['kbit/s', ({ receiving }) => receiving?.kbps],
      ['Lost, %', ({ receiving }) => receiving?.lossPercent],
      ['Jitter, ms', ({ receiving }) => receiving?.jitterMs],
      ['Height', ({ receiving }) => receiving?.height],
      ['Frames/s', ({ receiving }) => receiving?.fps],
      ['Freezes', ({ receiving }) => receiving?.freezes],
      ['Frozen, ms', ({ receiving }) => receiving?.frozenMs],
      ['Made-up sound, %', ({ receiving }) => receiving?.concealedPercent],
      ['Score', ({ scores }) => scores.receiving],
    ],
  },
  {
    title: 'Server',
    columns: [
      ['CPU, %', ({ server }) => server && Math.round(server.cpu * 100)],
      ['Media load, %', ({ server }) => server && Math.round(server.load * 100)],
    ],
  },
];

const shown = (value: Value) => (typeof value === 'number' ? inDigits(value) : (value ?? '–'));

/** Everything that a participant's device has reported, as a table that can be opened. */
export function SampleTable({ name, samples }: { name: string; samples: Sample[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={classes['summary']} data-testid="quality-table-toggle">
        Table of {counted(samples.length, 'report')}
      </summary>
      {isOpen && (
        // Focusable, so that it can be scrolled with the keyboard.
        <div
          className={classes['scroll']}
          role="region"
          aria-label={`Reports of ${name}`}
          tabIndex={0}
          data-testid="quality-table"
        >
          <table className={classes['table']}>
            <thead>
              <tr>
                <th rowSpan={2} scope="col">
                  Time
                </th>
                {groups.map(({ title, columns }) => (
                  <th key={title} scope="colgroup" colSpan={columns.length}>
                    {title}
                  </th>
                ))}
              </tr>
              <tr>
                {groups.flatMap((group) =>
                  group.columns.map(([title]) => (
                    <th key={`${group.title} ${title}`} scope="col">
                      {title}
                    </th>
                  )),
                )}
              </tr>
            </thead>
            <tbody>
              {samples.map((sample) => (
                <tr key={sample.at.getTime()}>
                  <th scope="row">{atTime(sample.at)}</th>
                  {groups.flatMap((group) =>
                    group.columns.map(([title, valueOf]) => (
                      <td key={`${group.title} ${title}`}>{shown(valueOf(sample))}</td>
                    )),
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
