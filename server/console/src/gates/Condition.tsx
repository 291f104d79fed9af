import { ActionIcon, Button, Flex, NativeSelect, Text, TextInput } from '@mantine/core';
import type { GateChain } from '@parley/sdk';
import { IconTrash } from '@tabler/icons-react';
import { ContractField } from './ContractField.tsx';
import type { ConditionDraft, ConditionKind } from './gateDraft.ts';
import classes from './Gates.module.css';

interface Props {
  draft: ConditionDraft;
  chains: GateChain[];
  problem: string | undefined;
  onChange: (more: Partial<ConditionDraft>) => void;
  onRemove: (() => void) | null;
}

const kinds: { value: ConditionKind; label: string }[] = [
  { value: 'nft', label: 'holds an NFT' },
  { value: 'token', label: 'holds a token' },
  { value: 'coin', label: 'holds the chain’s native coin' },
  { value: 'dao', label: 'is a member of a DAO' },
];

const methods = [
  { value: 'votes', label: 'holds votes in its token' },
  { value: 'governor', label: 'holds votes in its governor contract' },
  { value: 'member', label: 'is a member' },
];

/** Edits one condition of a gate. */
export function Condition({ draft, chains, problem, onChange, onRemove }: Props) {
  const { kind, chainId } = draft;
  const isUnlisted = !chains.some((chain) => chain.chainId === chainId);
  return (
    <div className={classes['condition']} data-testid="condition" data-kind={kind}>
      <div className={classes['fields']}>
        <NativeSelect
          label="A wallet that"
          data={kinds}
          value={kind}
          onChange={({ currentTarget }) => onChange({ kind: currentTarget.value as ConditionKind })}
          data-testid="condition-kind"
        />
        <NativeSelect
          label="Chain"
          data={[
            ...(isUnlisted ? [{ value: `${chainId}`, label: `Chain ${chainId}` }] : []),
            ...chains.map((chain) => ({ value: `${chain.chainId}`, label: chain.name })),
          ]}
          value={`${chainId}`}
          onChange={({ currentTarget }) => onChange({ chainId: Number(currentTarget.value), facts: null })}
          data-testid="condition-chain"
        />
        {onRemove && (
          <ActionIcon
            className={classes['remove'] ?? ''}
            variant="subtle"
            color="brick"
            size={36}
            aria-label="Remove this condition"
            onClick={onRemove}
            data-testid="remove-condition"
          >
            <IconTrash size={18} />
          </ActionIcon>
        )}
      </div>
      {kind !== 'coin' && <ContractField draft={draft} onChange={onChange} />}
      <Examples chain={chains.find((chain) => chain.chainId === chainId)} onChange={onChange} />
      <Details draft={draft} chains={chains} onChange={onChange} />
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" data-testid="condition-problem">
          {problem}
        </Text>
      )}
    </div>
  );
}

/** The contracts of a demo chain, with which a gate can be tried. */
function Examples({ chain, onChange }: Pick<Props, 'onChange'> & { chain: GateChain | undefined }) {
  if (!chain?.examples) return null;
  return (
    <Flex wrap="wrap" align="center" gap={8}>
      <Text size="sm" c="dimmed">
        To try it:
      </Text>
      {chain.examples.map(({ name, type, contractAddress }) => (
        <Button
          key={contractAddress}
          variant="default"
          size="compact-md"
          fz="sm"
          onClick={() => onChange({ kind: type, address: contractAddress, standard: 'erc721', facts: null })}
          data-testid="gate-example"
        >
          {name}
        </Button>
      ))}
    </Flex>
  );
}

function Details({ draft, chains, onChange }: Pick<Props, 'draft' | 'chains' | 'onChange'>) {
  const { kind, standard, method, facts } = draft;
  const unit =
    kind === 'coin'
      ? chains.find(({ chainId }) => chainId === draft.chainId)?.coin
      : (facts?.symbol ?? undefined);
  return (
    <div className={classes['fields']}>
      {kind === 'nft' && (
        <NativeSelect
          label="Token standard"
          data={[
            { value: 'erc721', label: 'unique tokens (ERC-721)' },
            { value: 'erc1155', label: 'several of each token (ERC-1155)' },
          ]}
          value={standard}
          onChange={({ currentTarget }) =>
            onChange({ standard: currentTarget.value as ConditionDraft['standard'] })
          }
          data-testid="condition-standard"
        />
      )}
      {kind === 'dao' && (
        <NativeSelect
          label="Membership"
          data={methods}
          value={method}
          onChange={({ currentTarget }) =>
            onChange({ method: currentTarget.value as ConditionDraft['method'] })
          }
          data-testid="condition-method"
        />
      )}
      {kind === 'nft' && (
        <TextInput
          label={standard === 'erc721' ? 'Token IDs (empty: any token)' : 'Token IDs'}
          placeholder="1, 2, 3"
          value={draft.tokenIds}
          onChange={({ currentTarget }) => onChange({ tokenIds: currentTarget.value })}
          inputMode="numeric"
          autoComplete="off"
          data-testid="condition-ids"
        />
      )}
      {!(kind === 'dao' && method === 'member') && (
        <TextInput
          label="At least"
          value={draft.amount}
          onChange={({ currentTarget }) => onChange({ amount: currentTarget.value })}
          inputMode="decimal"
          autoComplete="off"
          rightSection={
            unit && (
              <Text span size="xs" c="dimmed">
                {unit}
              </Text>
            )
          }
          rightSectionWidth={unit ? `${unit.length + 1.5}ch` : 0}
          data-testid="condition-amount"
        />
      )}
    </div>
  );
}
