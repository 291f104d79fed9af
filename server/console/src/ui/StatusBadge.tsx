import { Badge } from '@mantine/core';

export interface Status {
  color: string;
  label: string;
}

/** The status of an item in a list. */
export function StatusBadge({ color, label }: Status) {
  return (
    <Badge variant="light" color={color} tt="none" fw={500}>
      {label}
    </Badge>
  );
}
