import type { PhoneNumber } from '@parley/sdk';

export const numberTypeLabels: Record<PhoneNumber['type'], string> = {
  local: 'Local',
  mobile: 'Mobile',
  toll_free: 'Toll-free',
};
