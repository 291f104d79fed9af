import { Ago, ProblemAlert } from '@parley/react';
import type { OperatorError, OperatorNode, OperatorOverview } from '@parley/sdk';
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconCircleCheck, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { useList } from '../../data/useList.ts';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { LoadedValue } from '../../ui/LoadedValue.tsx';
import { inDigits } from '../../ui/numbers.ts';
import { Page } from '../../ui/Page.tsx';
import { Section } from '../../ui/Section.tsx';
import { StatusBadge, type Status } from '../../ui/StatusBadge.tsx';
import classes from './Operator.module.css';

const typingMs = 400;

/** Shows the operator what goes on in the installation, its nodes, and the latest errors in the logs. */
export function ServerPage() {
  const { queries } = useSignedIn();
  const overview = useLoaded(queries.operatorOverview, { everyMs: 5_000 });
  return (
    <Page title="Server" hint="What is going on now, on all nodes. Only operators see this page.">
      <LoadedValue of={overview} what="the state of the server" rows={2} rowHeight={96}>
        {({ now, nodes }) => (
          <>
            <Section title="Now" testId="server-now">
              <Numbers now={now} />
            </Section>
            <Section title={nodes.length === 1 ? 'Node' : 'Nodes'} testId="server-nodes">
              <ul className={classes['list']}>
                {nodes.map((node) => (
                  <NodeItem key={node.id} node={node} isAlone={nodes.length === 1} />
                ))}
              </ul>
            </Section>
          </>
        )}
      </LoadedValue>
      <Errors />
    </Page>
  );
}

const numbers: [keyof OperatorOverview['now'], string][] = [
  ['calls', 'Calls'],
  ['ringing', 'Ringing'],
  ['rooms', 'Rooms'],
  ['people', 'People in rooms'],
  ['streams', 'Live streams'],
  ['viewers', 'Viewers'],
];

function Numbers({ now }: { now: OperatorOverview['now'] }) {
  return (
    <dl className={classes['numbers']}>
      {numbers.map(([name, label]) => (
        <div key={name} className={classes['number']}>
          <dt>{label}</dt>
          <dd data-testid={`now-${name}`}>{inDigits(now[name])}</dd>
        </div>
      ))}
    </dl>
  );
}

function NodeItem({ node, isAlone }: { node: OperatorNode; isAlone: boolean }) {
  const { client } = useSignedIn();
  const [isAsking, setIsAsking] = useState(false);
  const { id, address, roles, release, load, cpu, rooms, isDraining } = node;
  const change = (drains: boolean) => client.operator.drain(id, drains);
  const drain = useAction(() => change(true), { refreshes: ['operator'] });
  const serve = useAction(() => change(false), { refreshes: ['operator'] });
  const hasMedia = roles.includes('media');
  return (
    <li className={classes['node']} data-testid="node" data-node={id} data-draining={isDraining}>
      <Group justify="space-between" gap="sm">
        <div>
          <Text fw={600} className={classes['address']}>
            {address ?? 'This server'}
          </Text>
          <Text size="sm" c="dimmed">
            {roles.join(', ')} · release {release ?? 'unknown'} · since <Ago at={node.startedAt} />
            {rooms !== null && ` · ${inDigits(rooms)} rooms`}
          </Text>
        </div>
        <Group gap="xs">
          <StatusBadge {...(isDraining ? draining : serving)} />
          {isDraining ? (
            <Button
              variant="default"
              loading={serve.isRunning}
              onClick={() => void serve.run()}
              data-testid="node-serve"
            >
              Serve again
            </Button>
          ) : (
            !isAlone && (
              <Button variant="default" onClick={() => setIsAsking(true)} data-testid="node-drain">
                Drain
              </Button>
            )
          )}
        </Group>
      </Group>
      {hasMedia && (
        <div className={classes['bars']}>
          <Share label="Media load" value={load} />
          <Share label="CPU" value={cpu} />
        </div>
      )}
      {serve.problem && <ProblemAlert problem={serve.problem} />}
      {isAsking && (
        <ConfirmDialog
          title="Drain this node?"
          action={drain}
          label="Drain"
          isDangerous={false}
          onClose={() => setIsAsking(false)}
          testId="drain"
        >
          <Text>
            Its calls, rooms and streams move to other nodes while their media continues. It takes no new
            ones, and its readiness check fails, so that a load balancer sends new users to other nodes. Then
            you can stop it.
          </Text>
        </ConfirmDialog>
      )}
    </li>
  );
}

const serving: Status = { color: 'pine', label: 'serving' };
const draining: Status = { color: 'amber', label: 'draining' };
/** From this share on, a node needs attention. */
const full = 0.85;

function Share({ label, value }: { label: string; value: number }) {
  const percent = Math.round(value * 100);
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="sm">{label}</Text>
        <Text size="sm">{percent} %</Text>
      </Group>
      <meter
        className={classes['bar']}
        min={0}
        max={100}
        high={full * 100}
        value={percent}
        aria-label={label}
      />
    </div>
  );
}

function Errors() {
  const { queries } = useSignedIn();
  const [wanted, setWanted] = useState('');
  const [requestId] = useDebouncedValue(wanted.trim(), typingMs);
  const list = useList(queries.operatorErrors(requestId));
  return (
    <Section
      title="Latest warnings and errors"
      hint="From the logs of all nodes. A user who reports an error can tell you its request ID."
      testId="server-errors"
      tools={
        <>
          <TextInput
            aria-label="Request ID"
            placeholder="req_…"
            value={wanted}
            maxLength={64}
            onChange={(event) => setWanted(event.currentTarget.value)}
            data-testid="errors-request"
          />
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} />}
            loading={list.isRefreshing}
            onClick={() => void list.refresh()}
          >
            Refresh
          </Button>
        </>
      }
    >
      <LoadedList
        list={list}
        what="the errors"
        rowHeight={52}
        empty={
          <Empty icon={IconCircleCheck} title={requestId ? 'Nothing about this request' : 'No errors'}>
            {requestId
              ? 'Nothing was logged about it, or it was too long ago. Check the ID.'
              : 'Warnings and errors in the logs appear here within seconds.'}
          </Empty>
        }
        more="Show older entries"
      >
        {(entry) => <ErrorItem key={entry.id} entry={entry} />}
      </LoadedList>
    </Section>
  );
}

function ErrorItem({ entry }: { entry: OperatorError }) {
  const { level, message, requestId, error, at, nodeId } = entry;
  return (
    <li className={classes['error']} data-testid="server-error" data-level={level}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <StatusBadge
          color={level === 'warn' ? 'amber' : 'brick'}
          label={level === 'warn' ? 'warning' : level}
        />
        <Text className={classes['address']}>{message}</Text>
      </Group>
      {error !== null && (
        <Text size="sm" ff="monospace" className={classes['address']}>
          {error}
        </Text>
      )}
      <Text size="xs" c="dimmed" className={classes['address']}>
        <Ago at={at} /> · {nodeId}
        {requestId !== null && ` · ${requestId}`}
      </Text>
    </li>
  );
}
