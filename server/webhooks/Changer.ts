import { eq } from 'drizzle-orm';
import type { WireWebhookState } from './toWire.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { apiKeys } from '../money/apiKeys/tables.ts';
import { actorOf, type AccountPrincipal, type RequestOrigin } from '../http/Principal.ts';

/** The principal who changes a webhook or an endpoint. */
export interface Changer {
  principal: AccountPrincipal;
  origin: RequestOrigin;
}

/** The id of the changing API key; null for a session. */
export const keyOf = ({ principal }: Changer): string | null =>
  principal.kind === 'key' ? principal.key.id : null;

/** The row of the audit log for a change. */
export const changeOf = ({ principal, origin }: Changer) =>
  ({
    at: new Date(),
    action: 'webhook.changed',
    ...actorOf(principal),
    accountId: principal.accountId,
    ...origin,
  }) as const;

/** The API key that last changed a webhook or an endpoint, as the routes show it. */
export async function findSetter(
  executor: Executor,
  keyId: string | null,
): Promise<WireWebhookState['setByKey']> {
  if (keyId === null) return null;
  const [key] = await executor.select().from(apiKeys).where(eq(apiKeys.id, keyId));
  return key ? { id: keyId, prefix: key.prefix, status: key.revokedAt ? 'revoked' : 'active' } : null;
}
