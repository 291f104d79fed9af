import { ProblemAlert } from '@parley/react';
import { Box, Switch, Text } from '@mantine/core';
import { useLoaded } from '../data/useLoaded.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { Section } from '../ui/Section.tsx';
import { GateBuilder } from './GateBuilder.tsx';
import { newGroup, type GroupDraft, type Problems } from './gateDraft.ts';

interface Props {
  gate: GroupDraft | null;
  setGate: (gate: GroupDraft | null) => void;
  /** The problems to show. There are none before the first attempt to submit. */
  problems: Problems | null | undefined;
  title: string;
  hint: string;
  /** A text that says when the gate is checked on the chain. */
  description: string;
  testId: string;
}

const noProblems: Problems = new Map();

/** Switches token gating on and edits its conditions. */
export function GateSection({ gate, setGate, problems, title, hint, description, testId }: Props) {
  const { value: chains, problem, refresh } = useLoaded(useSignedIn().queries.chains);
  const isPossible = chains !== null && chains.length > 0;
  return (
    <Section title={title} hint={hint}>
      <Switch
        label="Holders only"
        description={description}
        checked={gate !== null}
        disabled={!isPossible}
        onChange={({ currentTarget }) =>
          setGate(currentTarget.checked && chains?.[0] ? newGroup(chains[0].chainId) : null)
        }
        data-testid={testId}
      />
      {problem && <ProblemAlert problem={problem} onRetry={() => void refresh()} />}
      {chains?.length === 0 && (
        <Text size="sm" c="dimmed" mt="sm" data-testid="no-chains">
          This server is not connected to any chain. Its operator can add chains (CHAINS_MAINNET).
        </Text>
      )}
      {gate && chains && (
        <Box mt="1.125rem">
          <GateBuilder draft={gate} onChange={setGate} chains={chains} problems={problems ?? noProblems} />
        </Box>
      )}
    </Section>
  );
}
