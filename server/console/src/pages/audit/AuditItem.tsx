import { Badge } from '@mantine/core';
import type { AuditRow } from '@parley/sdk';
import { IconChevronRight } from '@tabler/icons-react';
import { Fact } from '../../ui/Fact.tsx';
import { atMoment, atTime, counted } from '../../ui/numbers.ts';
import classes from './AuditPage.module.css';
import { colourOf, describeAction, describeActor } from './describeAudit.ts';

/** One entry of the audit log. It can be opened to show its details. */
export function AuditItem({ row }: { row: AuditRow }) {
  const { at, action, status, ip, credits } = row;
  const about = [`by ${describeActor(row)}`, ip && `from ${ip}`, credits && counted(credits, 'credit')];
  return (
    <li data-testid="audit-row" data-action={action} data-status={status} data-prefix={row.actor.prefix}>
      <details className={classes['entry']}>
        <summary>
          <IconChevronRight size={16} className={classes['chevron'] ?? ''} aria-hidden />
          <span className={classes['what']} data-kind={action === 'request' ? 'request' : 'change'}>
            {describeAction(row)}
          </span>
          {status !== null && (
            <Badge variant="light" color={colourOf(status)} fw={600} className={classes['status'] ?? ''}>
              {status}
            </Badge>
          )}
          <time dateTime={at.toISOString()}>{atTime(at)}</time>
          <span className={classes['who']}>{about.filter(Boolean).join(' · ')}</span>
        </summary>
        <Details row={row} />
      </details>
    </li>
  );
}

function Details({ row: { id, at, requestId, userAgent, actor } }: { row: AuditRow }) {
  const facts: [string, string | null][] = [
    ['When', atMoment(at)],
    ['Request', requestId],
    ['Program', userAgent],
    ['Actor', actor.id],
    ['Entry ID', id],
  ];
  return (
    <dl className={classes['facts']}>
      {facts.map(
        ([name, value]) =>
          value && (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ),
      )}
    </dl>
  );
}
