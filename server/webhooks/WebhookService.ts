import { and, desc, eq, isNotNull, lt } from 'drizzle-orm';
import type { z } from 'zod';
import { toIso } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Page } from '../../sdk/protocol/http.ts';
import type { deliveriesQuery, setWebhook, WireWebhookDelivery } from '../../sdk/protocol/webhooks.ts';
import { numberEventTypes } from '../../sdk/protocol/webhookEvents.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { AuditLog } from '../money/audit/AuditLog.ts';
import type { Database } from '../../platform/database/database.ts';
import { pageRequest, toPage } from '../http/paging.ts';
import type { NumberRow } from '../telephony/numbers/tables.ts';
import type { AddressRules } from '../outgoing/isAllowedAddress.ts';
import { changeOf, findSetter, holdKey, keyOf, type Changer } from './Changer.ts';
import { checkWebhookUrl } from './checkWebhookUrl.ts';
import { removeWebhook } from './removeWebhook.ts';
import { webhookDeliveries, webhooks, type WebhookRow } from './tables.ts';
import { toDelivery, toWebhook, toWebhookState, type WireWebhook, type WireWebhookState } from './toWire.ts';
import type { WebhookEvents } from './WebhookEvents.ts';
import type { WebhookSecrets } from './WebhookSecrets.ts';
import { noSuch } from '../http/refusals.ts';

type Settings = Pick<z.output<typeof setWebhook>, 'url' | 'events' | 'rotateSecret'>;

interface ServiceDeps {
  db: Database;
  audit: AuditLog;
  events: WebhookEvents;
  secrets: WebhookSecrets;
  rules: AddressRules;
}

/** Sets, reads and tests the webhooks of numbers. The calling code has checked that the number belongs to the account. */
export class WebhookService {
  readonly #deps: ServiceDeps;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
  }

  /** @throws ParleyError invalid_url, url_not_allowed or number_released */
  async set(tx: Executor, number: NumberRow, settings: Settings, changer: Changer): Promise<WireWebhook> {
    const { audit, rules } = this.#deps;
    const { url } = settings;
    if (url !== null) {
      checkWebhookUrl(url, rules);
      if (number.status === 'released')
        throw new ParleyError('CONFLICT', 'This number was released. Set the webhook of an active number.', {
          reason: 'number_released',
        });
    }
    await holdKey(tx, changer);
    const changed =
      url === null ? await remove(tx, number) : await this.#write(tx, number, url, settings, keyOf(changer));
    await audit.write(tx, changeOf(changer));
    return changed;
  }

  /** @throws ParleyError NOT_FOUND */
  async get({ id }: NumberRow): Promise<WireWebhookState> {
    const row = await this.#find(this.#deps.db, id);
    return toWebhookState(row, await findSetter(this.#deps.db, row.setByKey));
  }

  /**
   * Sends a test event.
   * @throws ParleyError NOT_FOUND, or CONFLICT if the webhook is disabled
   */
  async test(
    tx: Executor,
    { id: numberId, accountId, phoneNumber }: NumberRow,
  ): Promise<WireWebhookDelivery> {
    const row = await this.#find(tx, numberId);
    if (row.disabledAt)
      throw new ParleyError('CONFLICT', 'This webhook was disabled because it answered 410. Set it again.');
    const data = { numberId, phoneNumber };
    return toDelivery(await this.#deps.events.add(tx, { type: 'webhook.test', accountId, numberId, data }));
  }

  /** Lists the deliveries for one number or for all, the latest first. */
  async deliveries(
    accountId: string,
    numberId: string | null,
    query: z.output<typeof deliveriesQuery>,
  ): Promise<Page<WireWebhookDelivery>> {
    const { limit, before } = pageRequest(query);
    const rows = await this.#deps.db
      .select()
      .from(webhookDeliveries)
      .where(
        and(
          eq(webhookDeliveries.accountId, accountId),
          numberId === null
            ? isNotNull(webhookDeliveries.numberId)
            : eq(webhookDeliveries.numberId, numberId),
          query.status && eq(webhookDeliveries.status, query.status),
          before === null ? undefined : lt(webhookDeliveries.seq, before),
        ),
      )
      .orderBy(desc(webhookDeliveries.seq))
      .limit(limit + 1);
    return toPage(rows, limit, toDelivery);
  }

  async #write(
    tx: Executor,
    number: NumberRow,
    url: string,
    settings: Settings,
    setByKey: string | null,
  ): Promise<WireWebhook> {
    const { secrets } = this.#deps;
    const { id: numberId, accountId } = number;
    // If two concurrent requests set the webhook for the first time, one of them waits here for the other.
    const fresh = secrets.create(numberId);
    const events = settings.events ? [...new Set(settings.events)] : [...numberEventTypes];
    const [created] = await tx
      .insert(webhooks)
      .values({ numberId, accountId, url, events, setByKey, ...fresh.columns })
      .onConflictDoNothing()
      .returning();
    if (created) return toWebhook(created, fresh.secret);
    const [row] = await tx.select().from(webhooks).where(eq(webhooks.numberId, numberId)).for('update');
    const rotated = row && settings.rotateSecret ? secrets.create(numberId, row) : null;
    const [changed] = await tx
      .update(webhooks)
      .set({ url, events, setByKey, disabledAt: null, updatedAt: new Date(), ...rotated?.columns })
      .where(eq(webhooks.numberId, numberId))
      .returning();
    if (!changed)
      throw new ParleyError('CONFLICT', 'The webhook was removed at the same time. Set it again.');
    return toWebhook(changed, rotated?.secret);
  }

  async #find(executor: Executor, numberId: string): Promise<WebhookRow> {
    const [row] = await executor.select().from(webhooks).where(eq(webhooks.numberId, numberId));
    if (row) return row;
    throw noSuch('webhook', 'This number has no webhook. Set one with PUT /numbers/mine/webhook.');
  }
}

/** Removes the webhook of a number. It is not an error if there is none. */
async function remove(tx: Executor, { id: numberId }: NumberRow): Promise<WireWebhook> {
  const removed = await removeWebhook(tx, numberId);
  const now = toIso(new Date());
  const createdAt = removed ? toIso(removed.createdAt) : now;
  return { numberId, url: null, events: [], createdAt, updatedAt: now };
}
