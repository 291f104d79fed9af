import type { WireAuditRow } from '../../../sdk/protocol/apiKeys.ts';
import { toIso } from '../../../sdk/protocol/common.ts';
import type { AuditRow } from './tables.ts';

export function toAuditRow(row: AuditRow): WireAuditRow {
  const { id, at, actorType, actorId, actorPrefix, actorPayer } = row;
  const { action, method, path, status, requestId, ip, userAgent, credits } = row;
  const actor = { type: actorType, id: actorId, prefix: actorPrefix, payer: actorPayer };
  return { id, at: toIso(at), actor, action, method, path, status, requestId, ip, userAgent, credits };
}
