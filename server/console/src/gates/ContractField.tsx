import { Loader, Text, TextInput } from '@mantine/core';
import { ParleyError, type ContractFacts } from '@parley/sdk';
import { IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { explain } from '../ui/explain.ts';
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
  const { client } = useSignedIn();
  const [failure, setFailure] = useState<{ of: string; problem: string } | null>(null);
  const { address } = contractOf(draft);
  const { chainId } = draft;
  const asked = address === undefined || draft.facts ? null : `${chainId} ${address}`;
  const problem = failure?.of === asked ? failure?.problem : undefined;
  // An effect event, so that the facts are applied to the latest draft.
  const take = useEffectEvent((facts: ContractFacts) => onChange({ facts, ...suitable(draft, facts) }));
  useEffect(() => {
    if (asked === null || address === undefined) return;
    let isWanted = true;
    const timer = setTimeout(() => {
      client.gatedRooms
        .inspect(chainId, address)
        .then((facts) => {
          if (isWanted) take(facts);
        })
        .catch((error: unknown) => {
          if (isWanted) setFailure({ of: asked, problem: whyNot(error) });
        });
    }, settleMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [client, chainId, address, asked]);
  return (
    <div>
      <TextInput
        label="Contract"
        placeholder="0x…"
        value={draft.address}
        onChange={({ currentTarget }) => onChange({ address: currentTarget.value, facts: null })}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        rightSection={asked !== null && problem === undefined && <Loader size={16} />}
        error={problem}
        data-testid="condition-contract"
      />
      <div role="status" className={classes['facts']}>
        {draft.facts && (
          <>
            <IconCircleCheck size={16} aria-hidden />
            <Text size="sm" data-testid="contract-facts">
              {describeFacts(draft.facts)}
            </Text>
          </>
        )}
      </div>
    </div>
  );
}

const kindLabels: Record<ContractFacts['kinds'][number], string> = {
  erc721: 'NFTs',
  erc1155: 'multi-token collection',
  erc20: 'token',
  votes: 'votes',
  governor: 'governor',
  member: 'members',
};

function describeFacts({ name, symbol, decimals, kinds }: ContractFacts): string {
  const called = name && symbol ? `${name} (${symbol})` : (name ?? symbol ?? 'Unnamed contract');
  const facts = [...kinds.map((kind) => kindLabels[kind]), decimals !== null && `${decimals} decimals`];
  return [called, ...facts.filter((fact) => fact !== false)].join(' · ');
}

function whyNot(error: unknown): string {
  if (error instanceof ParleyError && error.reason === 'no_contract')
    return 'There is no contract at this address on this chain. Check both.';
  const { title, advice } = explain(error);
  return `${title}. ${advice}`;
}
