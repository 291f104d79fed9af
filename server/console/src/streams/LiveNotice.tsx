import { Store, useStore } from '@parley/react';
import { Button, Flex, Text } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { useSignedIn } from '../session/ParleyClient.tsx';
import type { StudioController, StudioState } from './StudioController.ts';

const noController = new Store<StudioController | null>(null);
const nothing = new Store<StudioState | null>(null);

/** Reminds the host that the stream is live, on all pages except the studio. */
export function LiveNotice() {
  const { wallet } = useSignedIn();
  const [location] = useLocation();
  const controller = useStore(wallet?.streams.current ?? noController);
  const state = useStore<StudioState | null>(
    (controller?.store as Store<StudioState | null> | undefined) ?? nothing,
  );
  if (!controller || !state?.stream || state.sending !== 'yes') return null;
  const path = `/streams/${controller.streamId}`;
  if (location === path) return null;
  return (
    <Flex
      className="parley-card"
      component="section"
      wrap="wrap"
      align="center"
      justify="space-between"
      gap="0.5rem 1rem"
      mb="md"
      px="md"
      py="xs"
      aria-label="You are live"
      data-testid="you-are-live"
    >
      <Text fw={600}>You are live: {state.stream.title}</Text>
      <Button component={Link} href={path} size="compact-md" fz="sm" data-testid="to-live">
        Open stream
      </Button>
    </Flex>
  );
}
