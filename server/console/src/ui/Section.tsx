import { Box, Group } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import classes from './Section.module.css';

interface Props {
  title: string;
  /** A sentence below the title. */
  hint?: ReactNode;
  /** Shown next to the title, for example filters or a button to add an item. */
  tools?: ReactNode;
  testId?: string;
  children: ReactNode;
}

/** A card with a heading. */
export function Section({ title, hint, tools, testId, children }: Props) {
  const id = useId();
  return (
    <section className={`parley-card ${classes['section']}`} aria-labelledby={id} data-testid={testId}>
      <Group justify="space-between" align="flex-start" gap="0.75rem 1.5rem" mb="md">
        <Box flex="1 1 14rem" miw={0}>
          <h2 id={id}>{title}</h2>
          {hint && <p className={classes['hint']}>{hint}</p>}
        </Box>
        {tools && <Group gap="xs">{tools}</Group>}
      </Group>
      {children}
    </section>
  );
}
