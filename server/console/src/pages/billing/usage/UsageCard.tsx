import { SegmentedControl } from '@mantine/core';
import type { Usage } from '@parley/sdk';
import { IconChartBar } from '@tabler/icons-react';
import { useState } from 'react';
import { Empty } from '../../../ui/Empty.tsx';
import { LoadedValue } from '../../../ui/LoadedValue.tsx';
import { Section } from '../../../ui/Section.tsx';
import { useLoaded } from '../../../data/useLoaded.ts';
import { useSignedIn } from '../../../session/ParleyClient.tsx';
import { DayChart } from './DayChart.tsx';
import { ShareChart } from './ShareChart.tsx';
import classes from './Usage.module.css';
import { byBucket, byDay, lastDays, type Measure } from './usageDays.ts';

const daysShown = 30;

type Grouping = Usage['groupBy'];

const groupings: { value: Grouping; label: string }[] = [
  { value: 'day', label: 'By day' },
  { value: 'service', label: 'By service' },
  { value: 'key', label: 'By key' },
];
const measures: { value: Measure; label: string }[] = [
  { value: 'requests', label: 'Requests' },
  { value: 'credits', label: 'Credits' },
];

/** Requests and credits of the last thirty days, as a chart or table. */
export function UsageCard() {
  const { queries } = useSignedIn();
  const [groupBy, setGroupBy] = useState<Grouping>('day');
  const [chosen, setChosen] = useState<Measure | null>(null);
  const [today] = useState(() => new Date());
  const usage = useLoaded(queries.usage({ ...lastDays(daysShown, today), groupBy }));
  // Until the user chooses a measure, it is credits if any were spent.
  const measure = chosen ?? (usage.value && usage.value.totals.credits > 0 ? 'credits' : 'requests');
  const tools = (
    <>
      <SegmentedControl
        aria-label="Group by"
        data={groupings}
        value={groupBy}
        onChange={(grouping) => setGroupBy(grouping)}
        data-testid="usage-grouping"
      />
      <SegmentedControl
        aria-label="Show"
        data={measures}
        value={measure}
        onChange={(wanted) => setChosen(wanted)}
        data-testid="usage-measure"
      />
    </>
  );
  return (
    <Section title="Usage" hint={`The last ${daysShown} days, in UTC.`} tools={tools} testId="usage">
      <div className={classes['stage']}>
        <LoadedValue of={usage} what="your usage" rowHeight={256}>
          {(value) => <Chart usage={value} measure={measure} />}
        </LoadedValue>
      </div>
    </Section>
  );
}

function Chart({ usage, measure }: { usage: Usage; measure: Measure }) {
  if (usage.data.length === 0) {
    return (
      <Empty icon={IconChartBar} title="No usage yet">
        Requests and the credits they cost are counted here. Create an API key and send your first request.
      </Empty>
    );
  }
  if (usage.groupBy === 'day') return <DayChart days={byDay(usage)} measure={measure} />;
  return <ShareChart shares={byBucket(usage.data, measure)} measure={measure} groupBy={usage.groupBy} />;
}
