import { ProblemAlert, readGate, type GateDraft } from '@parley/react';
import { Button, Flex, Group } from '@mantine/core';
import type { GateConfig } from '@parley/sdk';
import { useState, type ComponentProps, type FormEvent, type ReactNode } from 'react';
import { useAction } from '../data/useAction.ts';
import type { Problem } from '../ui/explain.ts';
import { Section } from '../ui/Section.tsx';
import { useNavigateHere } from '../ui/useNavigateHere.ts';
import { GateSection } from './GateSection.tsx';

interface Props {
  /** The heading of the fields. */
  title: string;
  /** Renders the fields. @param wasTried whether the fields show their problems */
  children: (wasTried: boolean) => ReactNode;
  /** Whether the fields are valid. */
  isValid: boolean;
  gate: Pick<ComponentProps<typeof GateSection>, 'title' | 'hint' | 'description' | 'testId'>;
  /** @returns the path of the new room or stream */
  create: (gate: GateConfig | null) => Promise<string>;
  toProblem: (error: unknown) => Problem;
  submit: { label: string; testId: string };
  /** The path to return to on cancelling. */
  back: string;
}

/** The form that creates a room or a stream, with optional token gating. */
export function GatedForm(props: Props) {
  const { title, children, isValid, create, toProblem, submit, back } = props;
  const navigate = useNavigateHere();
  const [gate, setGate] = useState<GateDraft | null>(null);
  const [wasTried, setWasTried] = useState(false);
  const read = gate && readGate(gate);
  const { run, isRunning, problem } = useAction(async () => navigate(await create(read?.gate ?? null)), {
    toProblem,
  });
  // Also when the user tries again: since then, the gate may have got a problem, and without a gate, everyone could enter.
  const send = () => {
    setWasTried(true);
    if (isValid && !read?.problems) void run();
  };
  return (
    <Flex
      component="form"
      direction="column"
      gap="lg"
      miw={0}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        send();
      }}
      noValidate
    >
      <Section title={title}>{children(wasTried)}</Section>
      <GateSection
        {...props.gate}
        gate={gate}
        setGate={setGate}
        problems={wasTried ? read?.problems : null}
      />
      {problem && <ProblemAlert problem={problem} onRetry={send} />}
      <Group gap="xs">
        <Button type="submit" size="md" loading={isRunning} data-testid={submit.testId}>
          {submit.label}
        </Button>
        <Button variant="default" size="md" onClick={() => navigate(back)} disabled={isRunning}>
          Cancel
        </Button>
      </Group>
    </Flex>
  );
}
