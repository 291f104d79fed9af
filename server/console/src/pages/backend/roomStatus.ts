import type { BackendRoom } from '@parley/sdk';
import type { Status } from '../../ui/StatusBadge.tsx';

export const roomStatus: Record<BackendRoom['status'], Status> = {
  waiting: { color: 'gray', label: 'not started' },
  active: { color: 'pine', label: 'running' },
  ended: { color: 'gray', label: 'ended' },
};
