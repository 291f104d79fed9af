import type { PhoneNumber } from '@parley/sdk';

export const typeWords: Record<PhoneNumber['type'], string> = {
  local: 'Local',
  mobile: 'Mobile',
  toll_free: 'Toll-free',
};
