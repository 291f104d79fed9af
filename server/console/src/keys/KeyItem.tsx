import { Ago, useNow } from '@parley/react';
import { Button, Group } from '@mantine/core';
import type { ApiKey } from '@parley/sdk';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { Link } from 'wouter';
import { Fact } from '../ui/Fact.tsx';
import { onDay } from '../ui/numbers.ts';
import { StatusBadge } from '../ui/StatusBadge.tsx';
import rows from '../phone/Phone.module.css';
import classes from './Keys.module.css';
import { KeyStateBadge } from './KeyStateBadge.tsx';
import { shortKey, stateOf } from './keyState.ts';
import { LastUsed } from './LastUsed.tsx';
import { useSuccessor } from './useSuccessor.ts';

export type KeyTask = 'rotate' | 'revoke';

interface Props {
  apiKey: ApiKey;
  onTask: (task: KeyTask) => void;
}

export function KeyItem({ apiKey, onTask }: Props) {
  const { name, prefix, scopes, createdAt, expiresAt, revokedAt } = apiKey;
  const now = useNow(30_000);
  const state = stateOf(apiKey, now);
  const successor = useSuccessor(apiKey);
  return (
    <li
      className={`${rows['item']} ${classes['key']}`}
      data-testid="api-key"
      data-prefix={prefix}
      data-state={state}
    >
      <div className={rows['about']}>
        <div className={rows['head']}>
          <strong>{name}</strong>
          <KeyStateBadge state={state} expiresAt={expiresAt} />
          {successor && state === 'active' && (
            <StatusBadge color="amber" label={`replaced by …${successor.last4}`} />
          )}
        </div>
        <Link href={`/audit?keyPrefix=${encodeURIComponent(prefix)}`} title="Show in audit log">
          <code>{shortKey(apiKey)}</code>
        </Link>
        <ul className={classes['badges']} aria-label="Scopes">
          {scopes.length === 0 && (
            <li className={classes['none']}>No scopes: reads the account and balance only</li>
          )}
          {scopes.map((scope) => (
            <li key={scope}>{scope}</li>
          ))}
        </ul>
        <dl className={rows['facts']}>
          <Fact name="Last used" testId="last-used">
            <LastUsed of={apiKey} />
          </Fact>
          <Fact name="Created">
            <Ago at={createdAt} />
          </Fact>
          {revokedAt ? (
            <Fact name="Revoked">
              <Ago at={revokedAt} />
            </Fact>
          ) : (
            <Fact name={state === 'expired' ? 'Expired' : 'Expires'}>
              {expiresAt ? onDay(expiresAt) : 'never'}
            </Fact>
          )}
        </dl>
      </div>
      {state !== 'revoked' && (
        <Group gap="xs" flex="none">
          <Button
            variant="default"
            size="sm"
            leftSection={<IconRefresh size={16} />}
            aria-label={`${successor ? 'Continue rotating' : 'Rotate'} ${name}`}
            onClick={() => onTask('rotate')}
            data-testid="rotate:key"
          >
            {successor ? 'Continue' : 'Rotate'}
          </Button>
          <Button
            variant="subtle"
            color="brick"
            size="sm"
            leftSection={<IconTrash size={16} />}
            aria-label={`Revoke ${name}`}
            onClick={() => onTask('revoke')}
            data-testid="revoke-key"
          >
            Revoke
          </Button>
        </Group>
      )}
    </li>
  );
}
