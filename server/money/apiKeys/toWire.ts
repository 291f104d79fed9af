import type { WireApiKey } from '../../../sdk/protocol/apiKeys.ts';
import { toIso } from '../../../sdk/protocol/common.ts';
import type { ApiKeyRow } from './tables.ts';

export function toApiKey(row: ApiKeyRow): WireApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    last4: row.last4,
    scopes: row.scopes,
    status: row.revokedAt ? 'revoked' : 'active',
    createdAt: toIso(row.createdAt),
    createdBy: row.createdBy,
    expiresAt: row.expiresAt && toIso(row.expiresAt),
    isExpired: row.expiresAt !== null && row.expiresAt.getTime() <= Date.now(),
    lastUsedAt: row.lastUsedAt && toIso(row.lastUsedAt),
    lastUsedIp: row.lastUsedIp,
    revokedAt: row.revokedAt && toIso(row.revokedAt),
    revokedBy: row.revokedBy,
  };
}
