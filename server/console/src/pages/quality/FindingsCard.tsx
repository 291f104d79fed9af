import { Group, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { Section } from '../../ui/Section.tsx';
import { describeFinding } from './describe.ts';
import type { NumberedFinding } from './joinParts.ts';
import classes from './Quality.module.css';

interface Props {
  findings: NumberedFinding[];
  /** The name of a participant; null for the user. */
  nameOf: (party: string) => string | null;
  hint: string;
}

/** What was wrong, in sentences. The charts show the same numbers. */
export function FindingsCard({ findings, nameOf, hint }: Props) {
  return (
    <Section title="What was wrong" hint={hint} testId="quality-findings">
      {findings.length === 0 ? (
        <Group gap="xs" wrap="nowrap" data-testid="nothing-wrong">
          <IconCircleCheck size={22} className={classes['well']} aria-hidden />
          <Text>Nothing: no network, device or server was bad for a whole report.</Text>
        </Group>
      ) : (
        <ol className={classes['findings']}>
          {findings.map((finding) => (
            <li
              key={finding.number}
              data-testid="quality-finding"
              data-cause={finding.cause}
              data-party={finding.walletAddress}
            >
              <span className={classes['number']} aria-hidden>
                {finding.number}
              </span>
              {describeFinding(finding, finding.walletAddress && nameOf(finding.walletAddress))}
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}
