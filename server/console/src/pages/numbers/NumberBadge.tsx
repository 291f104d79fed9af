import { Badge } from '@mantine/core';
import type { PhoneNumber } from '@parley/sdk';

const badges: Record<PhoneNumber['status'], { color: string; label: string }> = {
  pending: { color: 'amber', label: 'pending' },
  active: { color: 'pine', label: 'active' },
  expired: { color: 'brick', label: 'expired' },
  released: { color: 'gray', label: 'released' },
};

export function NumberBadge({ status }: { status: PhoneNumber['status'] }) {
  return (
    <Badge variant="light" color={badges[status].color} tt="none" fw={500}>
      {badges[status].label}
    </Badge>
  );
}
