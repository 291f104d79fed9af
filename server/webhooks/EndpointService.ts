import { and, asc, count, desc, eq, isNotNull, lt, sql } from 'drizzle-orm';
import type { z } from 'zod';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { defaultPageSize, type Page } from '../../sdk/protocol/http.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import {
  maxEndpoints,
  type createEndpoint,
  type endpointDeliveriesQuery,
  type eventsQuery,
  type updateEndpoint,
  type WireAccountEvents,
  type WireEndpointDelivery,
  type WireWebhookEndpoint,
} from '../../sdk/protocol/webhookEndpoints.ts';
import { webhookEventTypes } from '../../sdk/protocol/webhookEvents.ts';
import type { WireAccountEvent } from '../../sdk/protocol/accountEvent.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { pageRequest, toPage, type PageRequest } from '../http/paging.ts';
import { badField, noSuch } from '../http/refusals.ts';
import type { AuditLog } from '../money/audit/AuditLog.ts';
import { apiKeys } from '../money/apiKeys/tables.ts';
import type { AddressRules } from '../outgoing/isAllowedAddress.ts';
import { changeOf, findSetter, holdKey, keyOf, type Changer } from './Changer.ts';
import { checkWebhookUrl } from './checkWebhookUrl.ts';
import type { EndpointEvents } from './EndpointEvents.ts';
import { firstOpenPosition } from './eventOrder.ts';
import { giveUp } from './giveUp.ts';
import { webhookDeliveries, webhookEndpoints, webhookEvents, type EndpointRow } from './tables.ts';
import { toEndpoint, toEndpointDelivery } from './toWire.ts';
import type { WebhookSecrets } from './WebhookSecrets.ts';

interface ServiceDeps {
  db: Database;
  audit: AuditLog;
  events: EndpointEvents;
  secrets: WebhookSecrets;
  rules: AddressRules;
}

/** The webhook endpoints of accounts, their deliveries, and the events of accounts. To other accounts, none of them exist. */
export class EndpointService {
  readonly #deps: ServiceDeps;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
  }

  /** @throws ParleyError invalid_url, url_not_allowed, or CONFLICT if the account has the most endpoints possible */
  async create(
    tx: Executor,
    { url, events, description }: z.output<typeof createEndpoint>,
    changer: Changer,
  ): Promise<WireWebhookEndpoint> {
    const { audit, secrets, rules } = this.#deps;
    const { accountId } = changer.principal;
    checkWebhookUrl(url, rules);
    await holdKey(tx, changer);
    // Locks the account, so that concurrent requests cannot exceed the limit.
    await tx.execute(sql`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`);
    const isOwn = eq(webhookEndpoints.accountId, accountId);
    const [existing] = await tx.select({ endpoints: count() }).from(webhookEndpoints).where(isOwn);
    if ((existing?.endpoints ?? 0) >= maxEndpoints)
      throw new ParleyError(
        'CONFLICT',
        `The account already has ${maxEndpoints} webhook endpoints, which is the limit. Remove one first.`,
      );
    const id = newId('whk');
    const { secret, columns } = secrets.create(id);
    const setByKey = keyOf(changer);
    const types = [...new Set(events ?? webhookEventTypes)];
    const [row] = await tx
      .insert(webhookEndpoints)
      .values({ id, accountId, url, description, events: types, setByKey, ...columns })
      .returning();
    if (!row) throw new Error('the insert of an endpoint returned no row');
    await audit.write(tx, changeOf(changer));
    return toEndpoint(row, await findSetter(tx, setByKey), secret);
  }

  async list(accountId: string, { limit, before }: PageRequest): Promise<Page<WireWebhookEndpoint>> {
    const rows = await this.#deps.db
      .select({
        endpoint: webhookEndpoints,
        seq: webhookEndpoints.seq,
        prefix: apiKeys.prefix,
        revokedAt: apiKeys.revokedAt,
      })
      .from(webhookEndpoints)
      .leftJoin(apiKeys, eq(apiKeys.id, webhookEndpoints.setByKey))
      .where(
        and(
          eq(webhookEndpoints.accountId, accountId),
          before === null ? undefined : lt(webhookEndpoints.seq, before),
        ),
      )
      .orderBy(desc(webhookEndpoints.seq))
      .limit(limit + 1);
    return toPage(rows, limit, ({ endpoint, prefix, revokedAt }) => {
      const { setByKey: id } = endpoint;
      const status = revokedAt ? 'revoked' : 'active';
      return toEndpoint(endpoint, id !== null && prefix !== null ? { id, prefix, status } : null);
    });
  }

  /** @throws ParleyError NOT_FOUND */
  async get(accountId: string, id: string): Promise<WireWebhookEndpoint> {
    const { db } = this.#deps;
    const row = await find(db, accountId, id);
    return toEndpoint(row, await findSetter(db, row.setByKey));
  }

  /** @throws ParleyError NOT_FOUND, invalid_url, url_not_allowed */
  async update(
    id: string,
    { url, description, events, ...change }: z.output<typeof updateEndpoint>,
    changer: Changer,
  ): Promise<WireWebhookEndpoint> {
    const { db, audit, secrets, rules } = this.#deps;
    if (url !== undefined) checkWebhookUrl(url, rules);
    return db.transaction(async (tx) => {
      await holdKey(tx, changer);
      const old = await find(tx, changer.principal.accountId, id, { lock: true });
      const rotated = change.rotateSecret ? secrets.create(id, old) : null;
      const disabledAt = change.disabled ? (old.disabledAt ?? new Date()) : null;
      const [row = old] = await tx
        .update(webhookEndpoints)
        .set({
          url,
          description,
          events: events && [...new Set(events)],
          ...(change.disabled === undefined ? {} : { disabledAt }),
          ...rotated?.columns,
          setByKey: keyOf(changer),
          updatedAt: new Date(),
        })
        .where(eq(webhookEndpoints.id, id))
        .returning();
      if (row.disabledAt) await giveUp(tx, id, 'webhook_disabled');
      await audit.write(tx, changeOf(changer));
      return toEndpoint(row, await findSetter(tx, row.setByKey), rotated?.secret);
    });
  }

  /** @throws ParleyError NOT_FOUND */
  async remove(id: string, changer: Changer): Promise<{ id: string }> {
    const { db, audit } = this.#deps;
    return db.transaction(async (tx) => {
      await find(tx, changer.principal.accountId, id, { lock: true });
      await tx.delete(webhookEndpoints).where(eq(webhookEndpoints.id, id));
      await giveUp(tx, id, 'webhook_removed');
      await audit.write(tx, changeOf(changer));
      return { id };
    });
  }

  /**
   * Sends a test event.
   * @throws ParleyError NOT_FOUND, or CONFLICT if the endpoint is disabled
   */
  async test(tx: Executor, accountId: string, id: string): Promise<WireEndpointDelivery> {
    const endpoint = enabled(await find(tx, accountId, id));
    const event = { type: 'webhook.test', data: { endpointId: id } } as const;
    return toEndpointDelivery(await this.#deps.events.emitTo(tx, endpoint, event));
  }

  /**
   * Lists the deliveries to an endpoint, the latest first.
   * @throws ParleyError NOT_FOUND
   */
  async deliveries(
    accountId: string,
    id: string,
    query: z.output<typeof endpointDeliveriesQuery>,
  ): Promise<Page<WireEndpointDelivery>> {
    const { db } = this.#deps;
    const { limit, before } = pageRequest(query);
    await find(db, accountId, id);
    const rows = await db
      .select()
      .from(webhookDeliveries)
      .where(
        and(
          eq(webhookDeliveries.endpointId, id),
          query.status && eq(webhookDeliveries.status, query.status),
          before === null ? undefined : lt(webhookDeliveries.seq, before),
        ),
      )
      .orderBy(desc(webhookDeliveries.seq))
      .limit(limit + 1);
    return toPage(rows, limit, toEndpointDelivery);
  }

  /**
   * Sends the event of a delivery to its endpoint again, as a new delivery.
   * @throws ParleyError NOT_FOUND, or CONFLICT if the endpoint is disabled
   */
  async replay(tx: Executor, accountId: string, deliveryId: string): Promise<WireEndpointDelivery> {
    const { id, accountId: owner, endpointId } = webhookDeliveries;
    const [delivery] = await tx
      .select()
      .from(webhookDeliveries)
      .where(and(eq(id, deliveryId), eq(owner, accountId), isNotNull(endpointId)));
    if (!delivery?.endpointId)
      throw noSuch(
        'webhook_delivery',
        'This account has no such delivery to an endpoint, or it is no longer kept.',
      );
    enabled(await find(tx, accountId, delivery.endpointId));
    return toEndpointDelivery(await this.#deps.events.replay(tx, delivery));
  }

  /**
   * Reads the events of the account, the oldest first or the latest first.
   * @throws ParleyError event_not_kept
   */
  async events(accountId: string, query: z.output<typeof eventsQuery>): Promise<WireAccountEvents> {
    const { db } = this.#deps;
    const { after, order = 'oldest', type, subjectId, limit = defaultPageSize } = query;
    const isOwn = eq(webhookEvents.accountId, accountId);
    const { position, seq } = webhookEvents;
    const [direction, follows] = order === 'oldest' ? [asc, sql`>`] : [desc, sql`<`];
    const [last] =
      after === undefined
        ? []
        : await db
            .select()
            .from(webhookEvents)
            .where(and(isOwn, eq(webhookEvents.id, after)));
    if (after !== undefined && !last)
      throw badField(
        'after',
        'event_not_kept',
        'this account has no such event, or it is no longer kept. Without `after`, you get all events that are kept',
        'event_not_kept',
      );
    const rows = await db
      .select({ id: webhookEvents.id, body: webhookEvents.body })
      .from(webhookEvents)
      .where(
        and(
          isOwn,
          last && sql`(${position}, ${seq}) ${follows} (${last.position}, ${last.seq})`,
          lt(position, firstOpenPosition),
          type && eq(webhookEvents.type, type),
          subjectId === undefined ? undefined : eq(webhookEvents.subjectId, subjectId),
        ),
      )
      .orderBy(direction(position), direction(seq))
      .limit(limit + 1);
    const shown = rows.slice(0, limit);
    return {
      data: shown.map(({ body }) => JSON.parse(body) as WireAccountEvent),
      hasMore: rows.length > limit,
      nextAfter: shown.at(-1)?.id ?? after ?? null,
    };
  }
}

/** @throws ParleyError CONFLICT */
function enabled(endpoint: EndpointRow): EndpointRow {
  if (!endpoint.disabledAt) return endpoint;
  throw new ParleyError(
    'CONFLICT',
    'This webhook endpoint is disabled. Enable it first, with `disabled: false`.',
  );
}

async function find(
  executor: Executor,
  accountId: string,
  id: string,
  { lock = false } = {},
): Promise<EndpointRow> {
  const isIt = and(eq(webhookEndpoints.id, id), eq(webhookEndpoints.accountId, accountId));
  const query = executor.select().from(webhookEndpoints).where(isIt);
  const [row] = await (lock ? query.for('update') : query);
  if (row) return row;
  throw noSuch('webhook_endpoint', 'This account has no such webhook endpoint.');
}
