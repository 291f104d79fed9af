import { Skeleton, Stack } from '@mantine/core';

/** Shown while the code of a page is loading. */
export function PageLoading() {
  return (
    <Stack gap="lg" role="status" aria-label="Loading the page">
      <Skeleton height={36} width={180} />
      <Skeleton height={160} radius="lg" />
      <Skeleton height={280} radius="lg" />
    </Stack>
  );
}
