import { ActionIcon, Button, Flex, SegmentedControl, Text } from '@mantine/core';
import type { GateChain } from '@parley/sdk';
import { IconPlus, IconStack2, IconTrash } from '@tabler/icons-react';
import { Condition } from './Condition.tsx';
import {
  changed,
  deepest,
  newCondition,
  newGroup,
  type ConditionDraft,
  type Draft,
  type GroupDraft,
  type Problems,
} from './gateDraft.ts';
import classes from './Gates.module.css';

interface Props {
  draft: GroupDraft;
  onChange: (draft: GroupDraft) => void;
  /** New conditions use the first chain. */
  chains: GateChain[];
  /** The problems to show. There are none before the first attempt to submit. */
  problems: Problems;
}

/** Edits a gate: conditions, and groups of conditions of which all or any must be met. */
export function GateBuilder({ draft, onChange, chains, problems }: Props) {
  const change = (key: string, into: (draft: Draft) => Draft | null) =>
    onChange(key === draft.key ? (into(draft) as GroupDraft) : changed(draft, key, into));
  return (
    <Group group={draft} depth={1} chains={chains} problems={problems} onChange={change} onRemove={null} />
  );
}

interface GroupProps {
  group: GroupDraft;
  depth: number;
  chains: GateChain[];
  problems: Problems;
  onChange: (key: string, into: (draft: Draft) => Draft | null) => void;
  onRemove: (() => void) | null;
}

function Group({ group, depth, chains, problems, onChange, onRemove }: GroupProps) {
  const chainId = chains[0]?.chainId ?? 1;
  const add = (one: Draft) =>
    onChange(group.key, (before) => ({ ...(before as GroupDraft), of: [...(before as GroupDraft).of, one] }));
  const setOperator = (operator: string) =>
    onChange(group.key, (before) => ({ ...(before as GroupDraft), operator: operator as 'and' | 'or' }));
  const problem = problems.get(group.key);
  return (
    <fieldset className={classes['group']} data-depth={depth} data-testid="gate-group">
      <Text component="legend" px={6} size="sm" fw={600}>
        {depth === 1 ? 'Required to enter' : 'Group'}
      </Text>
      <Flex align="center" justify="space-between" gap={8} mih="2.125rem">
        {group.of.length > 1 ? (
          <SegmentedControl
            size="sm"
            aria-label="How many conditions must be met"
            value={group.operator}
            onChange={setOperator}
            data={[
              { value: 'and', label: 'All of these' },
              { value: 'or', label: 'Any of these' },
            ]}
            data-testid="gate-operator"
          />
        ) : (
          <Text size="sm" c="dimmed">
            This condition
          </Text>
        )}
        {onRemove && (
          <ActionIcon
            variant="subtle"
            color="brick"
            size="lg"
            aria-label="Remove group"
            onClick={onRemove}
            data-testid="remove-group"
          >
            <IconTrash size={18} />
          </ActionIcon>
        )}
      </Flex>
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {problem}
        </Text>
      )}
      {group.of.map((each, index) => (
        <div key={each.key}>
          {index > 0 && (
            <Text size="sm" c="dimmed" ta="center" pb="xs">
              {group.operator}
            </Text>
          )}
          {each.is === 'group' ? (
            <Group
              group={each}
              depth={depth + 1}
              chains={chains}
              problems={problems}
              onChange={onChange}
              onRemove={() => onChange(each.key, () => null)}
            />
          ) : (
            <Condition
              draft={each}
              chains={chains}
              problem={problems.get(each.key)}
              onChange={(more) =>
                onChange(each.key, (before) => ({ ...(before as ConditionDraft), ...more }))
              }
              onRemove={group.of.length > 1 || depth > 1 ? () => onChange(each.key, () => null) : null}
            />
          )}
        </div>
      ))}
      <Flex wrap="wrap" gap={8}>
        <Button
          variant="light"
          size="compact-md"
          fz="sm"
          leftSection={<IconPlus size={16} />}
          onClick={() => add(newCondition(chainId))}
          data-testid="add-condition"
        >
          Add condition
        </Button>
        {depth < deepest && (
          <Button
            variant="subtle"
            size="compact-md"
            fz="sm"
            leftSection={<IconStack2 size={16} />}
            onClick={() => add(newGroup(chainId, group.operator === 'and' ? 'or' : 'and'))}
            data-testid="add-group"
          >
            Add group
          </Button>
        )}
      </Flex>
    </fieldset>
  );
}
