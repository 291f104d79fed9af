import type { GateChain } from '@parley/sdk';
import { IconTrash } from '@tabler/icons-react';
import { Row, Text } from '../ui/Basics.tsx';
import { Button, IconButton } from '../ui/Button.tsx';
import { Select, TextField } from '../ui/Fields.tsx';
import { useWords } from '../words/WordsContext.tsx';
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

const optionsOf = (labels: Record<string, string>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** Edits one condition of a gate. */
export function Condition({ draft, chains, problem, onChange, onRemove }: Props) {
  const words = useWords().gates;
  const { kind, chainId } = draft;
  const isUnlisted = !chains.some((chain) => chain.chainId === chainId);
  return (
    <div className={classes['condition']} data-testid="condition" data-kind={kind}>
      <div className={classes['fields']}>
        <Select
          label={words.aWalletThat}
          options={optionsOf(words.kinds)}
          value={kind}
          onChange={({ currentTarget }) => onChange({ kind: currentTarget.value as ConditionKind })}
          data-testid="condition-kind"
        />
        <Select
          label={words.chain}
          options={[
            ...(isUnlisted ? [{ value: `${chainId}`, label: words.chainNumber(chainId) }] : []),
            ...chains.map((chain) => ({ value: `${chain.chainId}`, label: chain.name })),
          ]}
          value={`${chainId}`}
          onChange={({ currentTarget }) => onChange({ chainId: Number(currentTarget.value), facts: null })}
          data-testid="condition-chain"
        />
        {onRemove && (
          <IconButton
            className={classes['remove']}
            isDanger
            label={words.removeCondition}
            onClick={onRemove}
            data-testid="remove-condition"
          >
            <IconTrash size={18} aria-hidden />
          </IconButton>
        )}
      </div>
      {kind !== 'coin' && <ContractField draft={draft} onChange={onChange} />}
      <Examples chain={chains.find((chain) => chain.chainId === chainId)} onChange={onChange} />
      <Details draft={draft} chains={chains} onChange={onChange} />
      {problem && (
        <p className={classes['problem']} role="alert" data-testid="condition-problem">
          {problem}
        </p>
      )}
    </div>
  );
}

/** The contracts of a demo chain, with which a gate can be tried. */
function Examples({ chain, onChange }: Pick<Props, 'onChange'> & { chain: GateChain | undefined }) {
  const words = useWords().gates;
  if (!chain?.examples) return null;
  return (
    <Row gap="0.5rem">
      <Text size="sm" isDimmed>
        {words.toTry}
      </Text>
      {chain.examples.map(({ name, type, contractAddress }) => (
        <Button
          key={contractAddress}
          variant="outline"
          size="sm"
          onClick={() => onChange({ kind: type, address: contractAddress, standard: 'erc721', facts: null })}
          data-testid="gate-example"
        >
          {name}
        </Button>
      ))}
    </Row>
  );
}

function Details({ draft, chains, onChange }: Pick<Props, 'draft' | 'chains' | 'onChange'>) {
  const words = useWords().gates;
  const { kind, standard, method, facts } = draft;
  const unit =
    kind === 'coin' ? chains.find(({ chainId }) => chainId === draft.chainId)?.coin : facts?.symbol;
  return (
    <div className={classes['fields']}>
      {kind === 'nft' && (
        <Select
          label={words.standard}
          options={optionsOf(words.standards)}
          value={standard}
          onChange={({ currentTarget }) =>
            onChange({ standard: currentTarget.value as ConditionDraft['standard'] })
          }
          data-testid="condition-standard"
        />
      )}
      {kind === 'dao' && (
        <Select
          label={words.membership}
          options={optionsOf(words.methods)}
          value={method}
          onChange={({ currentTarget }) =>
            onChange({ method: currentTarget.value as ConditionDraft['method'] })
          }
          data-testid="condition-method"
        />
      )}
      {kind === 'nft' && (
        <TextField
          label={standard === 'erc721' ? words.anyTokenIds : words.tokenIds}
          placeholder="1, 2, 3"
          value={draft.tokenIds}
          onChange={({ currentTarget }) => onChange({ tokenIds: currentTarget.value })}
          inputMode="numeric"
          autoComplete="off"
          data-testid="condition-ids"
        />
      )}
      {!(kind === 'dao' && method === 'member') && (
        <TextField
          label={unit ? `${words.atLeast} (${unit})` : words.atLeast}
          value={draft.amount}
          onChange={({ currentTarget }) => onChange({ amount: currentTarget.value })}
          inputMode="decimal"
          autoComplete="off"
          data-testid="condition-amount"
        />
      )}
    </div>
  );
}
