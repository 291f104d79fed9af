import type { AccessResult, GateConfig } from '@parley/sdk';
import { IconCircleCheck, IconCircleX, IconRefresh } from '@tabler/icons-react';
import { useParley } from '../core/ParleyProvider.tsx';
import { useAction } from '../core/useAction.ts';
import { ProblemAlert } from '../problems/ProblemAlert.tsx';
import { Row, Stack, Text } from '../ui/Basics.tsx';
import { Button } from '../ui/Button.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { useWords } from '../words/WordsContext.tsx';
import { describeRequirement, factsKey } from './describeRequirement.ts';
import classes from './Gates.module.css';
import { contractsOf, useContracts } from './useContracts.ts';
import { useGateChains } from './useGateChains.ts';

interface Props {
  gate: GateConfig;
  /** The kind of place that has the gate. */
  what: 'room' | 'stream';
  /** null while the gate is being checked. */
  access: AccessResult | null;
  /** Checks the gate again. */
  onCheck: () => Promise<void>;
}

/** Shows which requirements of a gate this wallet meets and which it lacks. */
export function GateCheck({ gate, what, access, onCheck }: Props) {
  const words = useWords().gates;
  const known = useContracts(gate);
  const { run, isRunning } = useAction(onCheck);
  if (!access) {
    const label = what === 'room' ? words.loadingRoom : words.loadingStream;
    return (
      <div role="status" aria-label={label}>
        <Spinner />
      </div>
    );
  }
  const { allowed, requirementsMet, missingRequirements } = access;
  const list = [
    ...requirementsMet.map((requirement) => ({ requirement, isMet: true })),
    ...missingRequirements.map((requirement) => ({ requirement, isMet: false })),
  ];
  const titles = {
    room: allowed ? words.meetsRoom : words.lacksRoom,
    stream: allowed ? words.meetsStream : words.lacksStream,
  };
  return (
    <Stack gap="0.5rem" data-testid="gate-check" data-allowed={allowed}>
      <Text isStrong size="sm">
        {titles[what]}
      </Text>
      {!allowed && missingRequirements.length > 1 && (
        <Text size="sm" isDimmed>
          {access.reason}
        </Text>
      )}
      <ul className={classes['requirements']}>
        {list.map(({ requirement, isMet }) => (
          <li
            key={requirement}
            className={classes['requirement']}
            data-met={isMet}
            data-testid={isMet ? 'requirement-met' : 'requirement-missing'}
          >
            {isMet ? (
              <IconCircleCheck size={18} role="img" aria-label={words.met} />
            ) : (
              <IconCircleX size={18} role="img" aria-label={words.missing} />
            )}
            <span title={requirement}>{describeRequirement(requirement, known)}</span>
          </li>
        ))}
      </ul>
      {!allowed && (
        <Row>
          <Button
            variant="outline"
            size="sm"
            icon={<IconRefresh size={16} aria-hidden />}
            isLoading={isRunning}
            onClick={() => void run()}
            data-testid="check-again"
          >
            {words.checkAgain}
          </Button>
          <Examples gate={gate} onCheck={onCheck} />
        </Row>
      )}
    </Stack>
  );
}

/** On a server for trying out, gives the wallet what it lacks. */
function Examples({ gate, onCheck }: Pick<Props, 'gate' | 'onCheck'>) {
  const words = useWords().gates;
  const client = useParley();
  const { chains } = useGateChains();
  const contracts = contractsOf(gate);
  const { run, isRunning, problem } = useAction(async (chainId: number, address: string) => {
    await client.gatedRooms.getExample(chainId, address);
    await onCheck();
  });
  const examples = (chains ?? []).flatMap(({ chainId, examples: all = [] }) =>
    all
      .filter(({ contractAddress }) => contracts.has(factsKey(chainId, contractAddress)))
      .map((example) => ({ chainId, ...example })),
  );
  return (
    <>
      {examples.map(({ chainId, name, contractAddress }) => (
        <Button
          key={contractAddress}
          size="sm"
          isLoading={isRunning}
          onClick={() => void run(chainId, contractAddress)}
          data-testid="get-example"
        >
          {words.getExample(name)}
        </Button>
      ))}
      {problem && <ProblemAlert problem={problem} />}
    </>
  );
}
