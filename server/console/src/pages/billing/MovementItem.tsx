import { Ago } from '@parley/react';
import { Text } from '@mantine/core';
import type { Movement } from '@parley/sdk';
import { inDigits, withSign } from '../../ui/numbers.ts';
import classes from './BillingPage.module.css';

export function MovementItem({ movement }: { movement: Movement }) {
  const { type, amount, balanceAfter, description, apiKeyPrefix, createdAt } = movement;
  return (
    <li className={classes['movement']} data-testid="movement" data-type={type}>
      <Text style={{ overflowWrap: 'anywhere' }}>{description}</Text>
      <span className={type === 'debit' ? '' : classes['gained']}>
        {withSign(type === 'debit' ? -amount : amount)}
      </span>
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        <Ago at={createdAt} />
        {apiKeyPrefix && (
          <>
            {' · with '}
            <code>{apiKeyPrefix}…</code>
          </>
        )}
      </Text>
      <Text size="sm" c="dimmed">
        balance {inDigits(balanceAfter)}
      </Text>
    </li>
  );
}
