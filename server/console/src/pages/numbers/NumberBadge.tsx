import { Badge } from '@mantine/core';
import type { PhoneNumber } from '@parley/sdk';

const words: Record<PhoneNumber['status'], { color: string; words: string }> = {
  pending: { color: 'amber', words: 'pending' },
  active: { color: 'pine', words: 'active' },
  expired: { color: 'brick', words: 'expired' },
  released: { color: 'gray', words: 'released' },
};

export function NumberBadge({ status }: { status: PhoneNumber['status'] }) {
  return (
    <Badge variant="light" color={words[status].color} tt="none" fw={500}>
      {words[status].words}
    </Badge>
  );
}
