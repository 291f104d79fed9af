import { ProblemAlert, useNow } from '@parley/react';
import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import type { ApiKey, CreatedApiKey } from '@parley/sdk';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useAction } from '../data/useAction.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';
import type { Problem } from '../ui/explain.ts';
import { isInUse, shortKey } from './keyState.ts';
import classes from './Keys.module.css';
import { LastUsed } from './LastUsed.tsx';
import { NewSecret } from './NewSecret.tsx';

/* The contents of the four steps of a key rotation. */

interface MintProps {
  /** The new key while its secret is shown. */
  created: CreatedApiKey | null;
  onMint: () => void;
  isRunning: boolean;
  problem: Problem | null;
  onStored: () => void;
}

export function MintStep({ created, onMint, isRunning, problem, onStored }: MintProps) {
  if (created) return <NewSecret created={created} then="Continue to step 2" onStored={onStored} />;
  return (
    <Stack gap="sm">
      <Text size="sm">The old key keeps working until you revoke it.</Text>
      {problem && <ProblemAlert problem={problem} />}
      <Group>
        <Button loading={isRunning} onClick={onMint} data-autofocus data-testid="rotate-mint">
          Create new key
        </Button>
      </Group>
    </Stack>
  );
}

interface DeployProps {
  old: ApiKey;
  successor: ApiKey;
  onDeployed: () => void;
  onLater: () => void;
}

export function DeployStep({ old, successor, onDeployed, onLater }: DeployProps) {
  return (
    <Stack gap="sm">
      <Text size="sm">
        Replace the old secret everywhere and restart the programs that read it. You are done when the new key
        is used and the old one no longer is:
      </Text>
      <dl className={classes['uses']}>
        <Use of={successor} label="New" />
        <Use of={old} label="Old" />
      </dl>
      <Group gap="sm">
        <Button onClick={onDeployed} data-testid="rotate-deployed">
          I have deployed it
        </Button>
        <Button variant="default" onClick={onLater}>
          Continue later
        </Button>
      </Group>
    </Stack>
  );
}

export function RevokeStep({ old, onBack }: { old: ApiKey; onBack: () => void }) {
  const { client } = useSignedIn();
  const { run, isRunning, problem } = useAction(() => client.apiKeys.revoke(old.id), { refreshes: ['keys'] });
  const now = useNow(15_000);
  return (
    <Stack gap="sm">
      <Text size="sm">Requests with the old key are refused immediately.</Text>
      <dl className={classes['uses']}>
        <Use of={old} label="Old" />
      </dl>
      {isInUse(old, now) && (
        <Alert
          color="amber"
          variant="light"
          icon={<IconAlertTriangle />}
          title="The old key was used a moment ago"
        >
          If that was after you deployed the new secret, some program still uses the old one:{' '}
          <AuditLink of={old}>find it in the audit log</AuditLink>.
        </Alert>
      )}
      {problem && <ProblemAlert problem={problem} />}
      <Group gap="sm">
        <Button color="brick" loading={isRunning} onClick={() => void run()} data-testid="rotate-revoke">
          Revoke old key
        </Button>
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
      </Group>
    </Stack>
  );
}

export function ConfirmStep({ old, onDone }: { old: ApiKey; onDone: () => void }) {
  return (
    <Stack gap="sm">
      <Text size="sm">
        The old key is revoked. The audit log lists every request with it. None should be accepted after the
        revocation.
      </Text>
      <dl className={classes['uses']}>
        <Use of={old} label="Old" />
      </dl>
      <Group gap="md">
        <Button onClick={onDone} data-testid="rotate-done">
          Done
        </Button>
        <AuditLink of={old} onFollow={onDone}>
          Open the audit log
        </AuditLink>
      </Group>
    </Stack>
  );
}

function Use({ of, label }: { of: ApiKey; label: string }) {
  return (
    <div>
      <dt>
        {label} <code>{shortKey(of)}</code>
      </dt>
      <dd data-testid={`last-used-${label.toLowerCase()}`}>
        Last used: <LastUsed of={of} />
      </dd>
    </div>
  );
}

interface LinkProps {
  of: ApiKey;
  children: ReactNode;
  onFollow?: () => void;
}

function AuditLink({ of: { prefix }, children, onFollow }: LinkProps) {
  return (
    <Anchor
      component={Link}
      href={`/audit?keyPrefix=${encodeURIComponent(prefix)}`}
      onClick={onFollow}
      inherit
      underline="always"
      data-testid="audit-link"
    >
      {children}
    </Anchor>
  );
}
