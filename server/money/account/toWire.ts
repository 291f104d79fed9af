import type { WireMovement } from '../../../sdk/protocol/account.ts';
import { toIso } from '../../../sdk/protocol/common.ts';
import type { LedgerRow } from './tables.ts';

export function toMovement(row: LedgerRow): WireMovement {
  const { id, type, service, amount, balanceAfter, description, apiKeyPrefix } = row;
  return {
    id,
    type,
    service,
    amount,
    balanceAfter,
    description,
    reference: { type: row.referenceType, id: row.referenceId },
    apiKeyPrefix,
    createdAt: toIso(row.createdAt),
  };
}
