import { Skeleton, Stack } from '@mantine/core';

interface Props {
  /** What is on its way, for who can't see the rows. */
  what: string;
  rows?: number;
  height?: number;
}

/** As tall as what comes, so that nothing jumps. */
export function LoadingRows({ what, rows = 3, height = 52 }: Props) {
  return (
    <Stack gap="sm" role="status" aria-label={`Loading ${what}`}>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={height} radius="md" />
      ))}
    </Stack>
  );
}
