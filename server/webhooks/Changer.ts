import { and, eq, isNull } from 'drizzle-orm';
import { ParleyError } from '../../sdk/protocol/errors.ts';
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

/**
 * Call first in the transaction that sets something with the key. A revocation waits for it, and then finds what it has set.
 * @throws ParleyError AUTHENTICATION_REQUIRED (`api_key_revoked`) if the changing API key was revoked since the request began
 */
export async function holdKey(tx: Executor, changer: Changer): Promise<void> {
  const keyId = keyOf(changer);
  if (keyId === null) return;
  const isLive = and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt));
  const [key] = await tx.select({ id: apiKeys.id }).from(apiKeys).where(isLive).for('share');
  if (key) return;
  const message = 'This API key has been revoked. Use another one.';
  throw new ParleyError('AUTHENTICATION_REQUIRED', message, { reason: 'api_key_revoked' });
}

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
