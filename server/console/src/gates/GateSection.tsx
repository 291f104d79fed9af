import {
  GateBuilder,
  newGateDraft,
  ProblemAlert,
  useGateChains,
  type GateDraft,
  type GateProblems,
} from '@parley/react';
import { Box, Switch, Text } from '@mantine/core';
import { Section } from '../ui/Section.tsx';

interface Props {
  gate: GateDraft | null;
  setGate: (gate: GateDraft | null) => void;
  /** The problems to show. There are none before the first attempt to submit. */
  problems: GateProblems | null | undefined;
  title: string;
  hint: string;
  /** A text that says when the gate is checked on the chain. */
  description: string;
  testId: string;
}

/** Switches token gating on and edits its conditions. */
export function GateSection({ gate, setGate, problems, title, hint, description, testId }: Props) {
  const { chains, problem, retry } = useGateChains();
  const isPossible = chains !== null && chains.length > 0;
  return (
    <Section title={title} hint={hint}>
      <Switch
        label="Holders only"
        description={description}
        checked={gate !== null}
        disabled={!isPossible}
        onChange={({ currentTarget }) =>
          setGate(currentTarget.checked && chains?.[0] ? newGateDraft(chains[0].chainId) : null)
        }
        data-testid={testId}
      />
      {problem && <ProblemAlert problem={problem} onRetry={retry} />}
      {chains?.length === 0 && (
        <Text size="sm" c="dimmed" mt="sm" data-testid="no-chains">
          This server is not connected to any chain. Its operator can add chains (CHAINS_MAINNET).
        </Text>
      )}
      {gate && chains && (
        <Box mt="1.125rem">
          <GateBuilder draft={gate} onChange={setGate} problems={problems ?? undefined} />
        </Box>
      )}
    </Section>
  );
}
