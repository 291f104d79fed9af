import { useSentStream } from '@parley/react';
import { Button, Flex, Text } from '@mantine/core';
import { Link, useLocation } from 'wouter';

/** Reminds the host that the stream is live, on all pages except the studio. */
export function LiveNotice() {
  const [location] = useLocation();
  const stream = useSentStream();
  const path = `/streams/${stream?.id}`;
  if (!stream || location === path) return null;
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
      <Text fw={600}>You are live: {stream.title}</Text>
      <Button component={Link} href={path} size="compact-md" fz="sm" data-testid="to-live">
        Open stream
      </Button>
    </Flex>
  );
}
