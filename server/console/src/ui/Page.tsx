import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A page with a heading and several cards below each other. */
export function Page({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <Stack gap="lg" miw={0}>
      <header>
        <h1>{title}</h1>
        {hint && (
          <Text c="dimmed" mt={6} style={{ textWrap: 'pretty' }}>
            {hint}
          </Text>
        )}
      </header>
      {children}
    </Stack>
  );
}
