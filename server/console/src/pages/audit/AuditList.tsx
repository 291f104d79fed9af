import { Text } from '@mantine/core';
import type { AuditRow } from '@parley/sdk';
import { onDay } from '../../ui/numbers.ts';
import { AuditItem } from './AuditItem.tsx';
import classes from './AuditPage.module.css';

/** The entries, grouped by day. */
export function AuditList({ rows }: { rows: AuditRow[] }) {
  const days = [...new Set(rows.map(({ at }) => onDay(at)))];
  return days.map((day) => (
    <div key={day} className={classes['day']}>
      <Text component="h2" ff="text" size="sm" fw={600} c="dimmed" mb={4}>
        {day}
      </Text>
      <ul>
        {rows
          .filter(({ at }) => onDay(at) === day)
          .map((row) => (
            <AuditItem key={row.id} row={row} />
          ))}
      </ul>
    </div>
  ));
}
