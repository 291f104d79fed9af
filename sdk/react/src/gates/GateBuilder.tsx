import type { GateChain } from '@parley/sdk';
import { IconPlus, IconStack2, IconTrash } from '@tabler/icons-react';
import { Row, Text } from '../ui/Basics.tsx';
import { Button, IconButton } from '../ui/Button.tsx';
import { Segments } from '../ui/Fields.tsx';
import { useWords } from '../words/WordsContext.tsx';
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
import { useGateChains } from './useGateChains.ts';

interface Props {
  /** From newGateDraft(). */
  draft: GroupDraft;
  onChange: (draft: GroupDraft) => void;
  /** The problems to show, from readGate(). @default none */
  problems?: Problems | undefined;
}

const noProblems: Problems = new Map();

/**
 * Edits a gate: conditions, and groups of conditions of which all or any must be met.
 * @example
 * const [draft, setDraft] = useState(() => newGateDraft(1));
 * <GateBuilder draft={draft} onChange={setDraft} />
 * // readGate(draft).gate is the gate for client.gatedRooms.create()
 */
export function GateBuilder({ draft, onChange, problems = noProblems }: Props) {
  const { chains } = useGateChains();
  const change = (key: string, into: (draft: Draft) => Draft | null) =>
    onChange(key === draft.key ? (into(draft) as GroupDraft) : changed(draft, key, into));
  return (
    <Group
      group={draft}
      depth={1}
      chains={chains ?? []}
      problems={problems}
      onChange={change}
      onRemove={null}
    />
  );
}

interface GroupProps {
  group: GroupDraft;
  depth: number;
  /** New conditions use the first chain. */
  chains: GateChain[];
  problems: Problems;
  onChange: (key: string, into: (draft: Draft) => Draft | null) => void;
  onRemove: (() => void) | null;
}

function Group({ group, depth, chains, problems, onChange, onRemove }: GroupProps) {
  const words = useWords().gates;
  const chainId = chains[0]?.chainId ?? 1;
  const add = (one: Draft) =>
    onChange(group.key, (before) => ({ ...(before as GroupDraft), of: [...(before as GroupDraft).of, one] }));
  const setOperator = (operator: string) =>
    onChange(group.key, (before) => ({ ...(before as GroupDraft), operator: operator as 'and' | 'or' }));
  const problem = problems.get(group.key);
  return (
    <fieldset className={classes['group']} data-depth={depth} data-testid="gate-group">
      <legend className={classes['legend']}>{depth === 1 ? words.required : words.group}</legend>
      <div className={classes['groupTop']}>
        {group.of.length > 1 ? (
          <Segments
            label={words.howMany}
            value={group.operator}
            onChange={setOperator}
            options={[
              { value: 'and', label: words.all },
              { value: 'or', label: words.any },
            ]}
            data-testid="gate-operator"
          />
        ) : (
          <Text size="sm" isDimmed>
            {words.one}
          </Text>
        )}
        {onRemove && (
          <IconButton isDanger label={words.removeGroup} onClick={onRemove} data-testid="remove-group">
            <IconTrash size={18} aria-hidden />
          </IconButton>
        )}
      </div>
      {problem && (
        <p className={classes['problem']} role="alert">
          {problem}
        </p>
      )}
      {group.of.map((each, index) => (
        <div key={each.key}>
          {index > 0 && <p className={classes['operator']}>{words[group.operator]}</p>}
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
      <Row gap="0.5rem">
        <Button
          variant="light"
          size="sm"
          icon={<IconPlus size={16} aria-hidden />}
          onClick={() => add(newCondition(chainId))}
          data-testid="add-condition"
        >
          {words.addCondition}
        </Button>
        {depth < deepest && (
          <Button
            variant="subtle"
            size="sm"
            icon={<IconStack2 size={16} aria-hidden />}
            onClick={() => add(newGroup(chainId, group.operator === 'and' ? 'or' : 'and'))}
            data-testid="add-group"
          >
            {words.addGroup}
          </Button>
        )}
      </Row>
    </fieldset>
  );
}
