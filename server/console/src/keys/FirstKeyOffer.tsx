import { Box, Button, CloseButton, Flex, Group, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useList } from '../data/useList.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';

// Loaded on demand: most users never open it.
const CreateKeyDialog = lazy(async () => ({
  default: (await import('./CreateKeyDialog.tsx')).CreateKeyDialog,
}));

const dismissedKey = 'parley.noKeyWanted';

/** Offers the account's first API key until the user has one or dismisses the offer. */
export function FirstKeyOffer() {
  const { queries, address } = useSignedIn();
  const who = address ?? 'provider';
  const { value: keys } = useList(queries.keys);
  const [isDismissed, setIsDismissed] = useState(() => localStorage.getItem(dismissedKey) === who);
  const [isCreating, setIsCreating] = useState(false);
  const dismiss = () => {
    localStorage.setItem(dismissedKey, who);
    setIsDismissed(true);
  };
  if (!isCreating && (isDismissed || keys?.length !== 0)) return null;
  return (
    <Flex
      className="parley-card"
      component="section"
      wrap="wrap"
      align="center"
      gap="0.75rem 1rem"
      aria-label="Your first API key"
      data-testid="first-key"
    >
      <IconKey size={26} stroke={1.5} color="var(--parley-accent)" aria-hidden />
      <Box flex="1 1 12rem" miw={0}>
        <Text fw={600}>Building something?</Text>
        <Text size="sm" c="dimmed">
          Create your first API key and call the HTTP API from your own program in a minute.
        </Text>
      </Box>
      <Group gap={8} ml="auto">
        <Button variant="light" onClick={() => setIsCreating(true)} data-testid="first-key-create">
          Create API key
        </Button>
        <CloseButton size="lg" aria-label="Dismiss" onClick={dismiss} data-testid="first-key-dismiss" />
      </Group>
      {isCreating && (
        <Suspense>
          <CreateKeyDialog onClose={() => setIsCreating(false)} />
        </Suspense>
      )}
    </Flex>
  );
}
