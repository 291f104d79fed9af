import { ParleyError, type ContractFacts } from '@parley/sdk';
import { IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useParley } from '../core/ParleyProvider.tsx';
import { explain } from '../problems/explain.ts';
import { TextField } from '../ui/Fields.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import type { Words } from '../words/english.ts';
import { useWords } from '../words/WordsContext.tsx';
import { contractOf, suitable, type ConditionDraft } from './gateDraft.ts';
import classes from './Gates.module.css';

interface Props {
  draft: ConditionDraft;
  onChange: (more: Partial<ConditionDraft>) => void;
}

/** How long the address must be unchanged before the contract is read, so that the user can finish typing. */
const settleMs = 250;

/** The field for a contract's address. It shows the name and kind that the contract reports. */
export function ContractField({ draft, onChange }: Props) {
  const words = useWords();
  const client = useParley();
  const [failure, setFailure] = useState<{ of: string; error: unknown } | null>(null);
  const { address } = contractOf(draft);
  const { chainId } = draft;
  const asked = address === undefined || draft.facts ? null : `${chainId} ${address}`;
  const problem = failure && failure.of === asked ? whyNot(failure.error, words) : null;
  // The facts are applied to the latest draft.
  const latest = useRef({ draft, onChange });
  useEffect(() => {
    latest.current = { draft, onChange };
  });
  useEffect(() => {
    if (asked === null || address === undefined) return;
    let isWanted = true;
    const read = async () => {
      try {
        const facts = await client.gatedRooms.inspect(chainId, address);
        if (isWanted) latest.current.onChange({ facts, ...suitable(latest.current.draft, facts) });
      } catch (error) {
        if (isWanted) setFailure({ of: asked, error });
      }
    };
    const timer = setTimeout(() => void read(), settleMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [client, chainId, address, asked]);
  return (
    <div>
      <TextField
        label={words.gates.contract}
        placeholder="0x…"
        value={draft.address}
        onChange={({ currentTarget }) => onChange({ address: currentTarget.value, facts: null })}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        error={problem}
        data-testid="condition-contract"
      />
      <div role="status" className={classes['facts']}>
        {asked !== null && problem === null && <Spinner size={16} />}
        {draft.facts && (
          <>
            <IconCircleCheck size={16} aria-hidden />
            <span data-testid="contract-facts">{describeFacts(draft.facts, words.gates)}</span>
          </>
        )}
      </div>
    </div>
  );
}

function describeFacts({ name, symbol, decimals, kinds }: ContractFacts, words: Words['gates']): string {
  const called = name && symbol ? `${name} (${symbol})` : (name ?? symbol ?? words.unnamed);
  const facts = kinds.map((kind) => words.contractKinds[kind]);
  return [called, ...facts, ...(decimals === null ? [] : [words.decimals(decimals)])].join(' · ');
}

function whyNot(error: unknown, { gates, problems }: Words): string {
  if (error instanceof ParleyError && error.reason === 'no_contract') return gates.noContract;
  const { title, advice } = explain(error, problems);
  return `${title}. ${advice}`;
}
