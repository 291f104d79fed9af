import { Skeleton, Stack } from '@mantine/core';

interface Props {
  /** What is being loaded, in plain text for screen readers. */
  what: string;
  rows?: number;
  height?: number;
}

/** Placeholders as tall as the content that is being loaded, so that the page does not jump. */
export function LoadingRows({ what, rows = 3, height = 52 }: Props) {
  return (
    <Stack gap="sm" role="status" aria-label={`Loading ${what}`}>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={height} radius="md" />
      ))}
    </Stack>
  );
}
