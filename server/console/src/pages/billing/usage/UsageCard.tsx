import { SegmentedControl } from '@mantine/core';
import type { Usage } from '@parley/sdk';
import { IconChartBar } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { LoadingRows } from '../../../ui/LoadingRows.tsx';
import { Empty } from '../../../ui/Empty.tsx';
import { ProblemAlert } from '../../../ui/ProblemAlert.tsx';
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
  const { account } = useSignedIn();
  const [groupBy, setGroupBy] = useState<Grouping>('day');
  const [chosen, setChosen] = useState<Measure | null>(null);
  const resource = useMemo(
    () => account.usage({ ...lastDays(daysShown, new Date()), groupBy }),
    [account, groupBy],
  );
  const { value, isLoading, problem } = useLoaded(resource);
  // Until the user chooses a measure, it is credits if any were spent.
  const measure = chosen ?? (value && value.totals.credits > 0 ? 'credits' : 'requests');
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
      {problem && <ProblemAlert problem={problem} onRetry={() => void resource.refresh()} />}
      <div className={classes['stage']}>
        {!value && isLoading && <LoadingRows what="your usage" rows={1} height={256} />}
        {value && <Chart usage={value} measure={measure} />}
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
