import { Button, Flex, Text } from '@mantine/core';
import type { AccessResult, GateConfig } from '@parley/sdk';
import { IconCircleCheck, IconCircleX, IconRefresh } from '@tabler/icons-react';
import { LoadingRows } from '../ui/LoadingRows.tsx';
import { useAction } from '../data/useAction.ts';
import { describeRequirement } from './describeRequirement.ts';
import classes from './Gates.module.css';
import { ExampleButtons } from './ExampleButtons.tsx';
import { useContracts } from './useContracts.ts';

interface Props {
  gate: GateConfig;
  /** The kind of place that has the gate. */
  what: 'room' | 'stream';
  /** null while the gate is being checked. */
  access: AccessResult | null;
  onCheck: () => Promise<void>;
}

/** Shows which requirements of a gate this wallet meets and which it lacks. */
export function GateCheck({ gate, what, access, onCheck }: Props) {
  const known = useContracts(gate);
  const { run, isRunning } = useAction(onCheck);
  if (!access) return <LoadingRows what={`the requirements of this ${what}`} rows={1} />;
  const { allowed, requirementsMet, missingRequirements } = access;
  const list = [
    ...requirementsMet.map((requirement) => ({ requirement, isMet: true })),
    ...missingRequirements.map((requirement) => ({ requirement, isMet: false })),
  ];
  return (
    <div data-testid="gate-check" data-allowed={allowed}>
      <Text fw={600} size="sm" mb={8}>
        {`Your wallet ${allowed ? 'meets' : 'does not meet'} the requirements of this ${what}`}
      </Text>
      {!allowed && missingRequirements.length > 1 && (
        <Text size="sm" c="dimmed" mb={8}>
          {access.reason}
        </Text>
      )}
      <Flex component="ul" direction="column" gap={8}>
        {list.map(({ requirement, isMet }) => (
          <li
            key={requirement}
            className={classes['requirement']}
            data-met={isMet}
            data-testid={isMet ? 'requirement-met' : 'requirement-missing'}
          >
            {isMet ? (
              <IconCircleCheck size={18} role="img" aria-label="Met:" />
            ) : (
              <IconCircleX size={18} role="img" aria-label="Missing:" />
            )}
            <span title={requirement}>{describeRequirement(requirement, known)}</span>
          </li>
        ))}
      </Flex>
      {!allowed && (
        <Button
          mt="sm"
          variant="default"
          size="compact-md"
          fz="sm"
          leftSection={<IconRefresh size={16} />}
          loading={isRunning}
          onClick={() => void run()}
          data-testid="check-again"
        >
          Check again
        </Button>
      )}
      {!allowed && <ExampleButtons gate={gate} chains={known.chains} onGot={onCheck} />}
    </div>
  );
}
