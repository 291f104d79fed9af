import { Button } from '@mantine/core';
import { useState } from 'react';
import { axisEnd } from '../../../ui/axisEnd.ts';
import { counted, inDigits } from '../../../ui/numbers.ts';
import classes from './Usage.module.css';
import type { Measure, UsageDay } from './usageDays.ts';
import { UsageTable } from './UsageTable.tsx';

const dayName = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

interface Props {
  days: UsageDay[];
  measure: Measure;
}

/** A chart with a column per day. It is hidden from screen readers, which read the same numbers from a table. */
export function DayChart({ days, measure }: Props) {
  const [pointedAt, setPointedAt] = useState<UsageDay | null>(null);
  const [isTable, setIsTable] = useState(false);
  const end = axisEnd(Math.max(...days.map((day) => day[measure])));
  const total = days.reduce((sum, day) => sum + day[measure], 0);
  return (
    <>
      <div className={classes['summary']}>
        <span aria-live="off" data-testid="usage-summary">
          {pointedAt
            ? `${dayName.format(pointedAt.day)}: ${describeDay(pointedAt)}`
            : inUnits(total, measure)}
        </span>
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => setIsTable(!isTable)}
          aria-pressed={isTable}
          data-testid="usage-table-toggle"
        >
          {isTable ? 'Show as chart' : 'Show as table'}
        </Button>
      </div>
      {!isTable && (
        <div className={classes['chart']} aria-hidden data-testid="usage-chart">
          <div className={classes['axis']}>
            {[end, end / 2, 0].map((value) => (
              <span key={value}>{inDigits(value)}</span>
            ))}
          </div>
          <div className={classes['plot']} onPointerLeave={() => setPointedAt(null)}>
            {days.map((day) => (
              <div
                key={day.day.getTime()}
                className={classes['slot']}
                onPointerEnter={() => setPointedAt(day)}
              >
                <div
                  className={classes['column']}
                  style={{ height: `${(Math.max(0, day[measure]) / end) * 100}%` }}
                />
              </div>
            ))}
          </div>
          <div className={classes['ticks']}>
            {days.map(({ day }, index) => (
              <span key={day.getTime()}>
                {(days.length - 1 - index) % 7 === 0 ? dayName.format(day) : ''}
              </span>
            ))}
          </div>
        </div>
      )}
      <UsageTable
        isShown={isTable}
        first="Day"
        rows={days.toReversed().map((day) => ({ name: dayName.format(day.day), ...day }))}
      />
    </>
  );
}

const describeDay = ({ requests, credits }: UsageDay) =>
  `${counted(requests, 'request')}, ${counted(credits, 'credit')}`;
const inUnits = (total: number, measure: Measure) =>
  `${counted(total, measure === 'credits' ? 'credit' : 'request')} in total`;
