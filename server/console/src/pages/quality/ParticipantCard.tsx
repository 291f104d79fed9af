import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import phoneClasses from '../../phone/Phone.module.css';
import { Fact } from '../../ui/Fact.tsx';
import { Section } from '../../ui/Section.tsx';
import { Chart } from './Chart.tsx';
import { describeLimits, describePaths, describeServer } from './describe.ts';
import { EventsRow } from './EventsRow.tsx';
import type { Participant, Period } from './joinParts.ts';
import { measures } from './measures.ts';
import classes from './Quality.module.css';
import { SampleTable } from './SampleTable.tsx';

interface Props {
  name: string;
  participant: Participant;
  period: Period;
  isOpenAtFirst: boolean;
}

/** What the device of a participant measured. */
export function ParticipantCard({ name, participant, period, isOpenAtFirst }: Props) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <Section
      title={name}
      testId="quality-participant"
      tools={
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => setOpen(!isOpen)}
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Hide' : 'Show'} the measurements of ${name}`}
          data-testid="quality-participant-toggle"
        >
          {isOpen ? 'Hide' : 'Show'}
        </Button>
      }
    >
      {isOpen && <Measurements name={name} participant={participant} period={period} />}
    </Section>
  );
}

function Measurements({ name, participant, period }: Omit<Props, 'isOpenAtFirst'>) {
  const { samples } = participant;
  return (
    <div className={classes['measurements']}>
      <EventsRow participant={participant} period={period} />
      {samples.length === 0 ? (
        <Text c="dimmed">
          This device has reported nothing. It was there for less than ten seconds, or its app has an older
          SDK.
        </Text>
      ) : (
        <>
          <dl className={phoneClasses['facts']}>
            <Fact name="Path" testId="quality-path">
              {describePaths(samples)}
            </Fact>
            <Fact name="Sending limited by" testId="quality-limits">
              {describeLimits(samples)}
            </Fact>
            <Fact name="Server" testId="quality-server">
              {describeServer(samples)}
            </Fact>
          </dl>
          <div className={classes['charts']}>
            {measures.map((measure) => (
              <Chart key={measure.title} measure={measure} participant={participant} period={period} />
            ))}
          </div>
          <SampleTable name={name} samples={samples} />
        </>
      )}
    </div>
  );
}
