import { Badge } from '@mantine/core';
import type { PhoneNumber } from '@parley/sdk';

const words: Record<PhoneNumber['status'], { color: string; words: string }> = {
  pending: { color: 'amber', words: 'being bought' },
  active: { color: 'pine', words: 'active' },
  expired: { color: 'brick', words: 'expired: renew it' },
  released: { color: 'gray', words: 'given back' },
};

export function NumberBadge({ status }: { status: PhoneNumber['status'] }) {
  return (
    <Badge variant="light" color={words[status].color} tt="none" fw={500}>
      {words[status].words}
    </Badge>
  );
}
