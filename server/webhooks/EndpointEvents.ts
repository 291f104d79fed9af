import { eq, sql, type SQL } from 'drizzle-orm';
import { toIso } from '../../sdk/protocol/common.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import { isGuest, type PartyId } from '../../sdk/protocol/party.ts';
import type { WebhookEventType } from '../../sdk/protocol/webhookEvents.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { isOneOf } from '../../platform/database/isOneOf.ts';
import type { AccountEvent, AccountEvents, EventSubject } from '../../signaling/events/AccountEvents.ts';
import { accounts } from '../money/account/tables.ts';
import { boundedData } from './bodyOf.ts';
import { newPosition } from './eventOrder.ts';
import type { DeliveryQueue } from './DeliveryQueue.ts';
import { deliveryJobs } from './receivers.ts';
import { webhookDeliveries, webhookEndpoints, type DeliveryRow, type EndpointRow } from './tables.ts';

type Endpoint = Pick<EndpointRow, 'id' | 'accountId' | 'events' | 'disabledAt'>;

interface NewEvent {
  accountId: string;
  type: WebhookEventType;
  data: object;
}

/**
 * Stores the events of accounts that have an endpoint, and queues them for the endpoints that want them, in the transaction that makes the
 * change which the events report. Everything is written by one statement, because the transaction may hold the lock of a room.
 *
 * The events of a subject are numbered by its row in webhook_sequences, which stays locked until the transaction ends: numbers have no gaps
 * and are in the order of the commits.
 */
export class EndpointEvents implements AccountEvents {
  readonly #jobs: ScheduledJobs;
  readonly #queue: DeliveryQueue | null;

  /** @param queue the queue of this process; null if other processes deliver */
  constructor(jobs: ScheduledJobs, queue: DeliveryQueue | null) {
    this.#jobs = jobs;
    this.#queue = queue;
  }

  async emit(
    executor: Executor,
    { id, owner }: EventSubject,
    describe: () => AccountEvent[] | Promise<AccountEvent[]>,
  ): Promise<void> {
    const isOwners = accountOf(owner);
    const endpoints = isOwners ? await endpointsOf(executor, isOwners) : [];
    const [{ accountId } = { accountId: '' }] = endpoints;
    if (endpoints.length === 0) return;
    const events = (await describe()).map((event) => ({ ...event, accountId }));
    await this.#store(executor, endpoints, events, id);
  }

  /** Stores events that belong to no room, stream or call. */
  async emitFor(executor: Executor, events: NewEvent[]): Promise<void> {
    const accountIds = [...new Set(events.map(({ accountId }) => accountId))];
    if (accountIds.length === 0) return;
    const endpoints = await endpointsOf(executor, isOneOf(accounts.id, accountIds));
    const hasEndpoint = new Set(endpoints.map(({ accountId }) => accountId));
    await this.#store(
      executor,
      endpoints,
      events.filter(({ accountId }) => hasEndpoint.has(accountId)),
    );
  }

  /** Queues an event for one endpoint, even if that has not subscribed to its type. */
  async emitTo(
    executor: Executor,
    endpoint: Endpoint,
    given: Omit<NewEvent, 'accountId'>,
  ): Promise<DeliveryRow> {
    const event = { ...given, accountId: endpoint.accountId };
    const [id = ''] = await this.#store(executor, [{ ...endpoint, events: [event.type] }], [event]);
    const [row] = await executor.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, id));
    if (!row) throw new Error('the insert of an event made no delivery');
    return row;
  }

  /** Queues the event of a delivery for its endpoint again, without waiting for other events. */
  async replay(executor: Executor, { endpointId, eventId, accountId, type, body }: DeliveryRow) {
    if (endpointId === null) throw new Error('the delivery has no endpoint');
    const now = new Date();
    const [row] = await executor
      .insert(webhookDeliveries)
      .values({ id: newId('dlv'), endpointId, eventId, accountId, type, body, nextAttemptAt: now })
      .returning();
    if (!row) throw new Error('the insert of a delivery returned no row');
    await this.#schedule(executor, [{ id: row.id, endpointId, accountId }]);
    return row;
  }

  /**
   * @param events with a subject, they all belong to the same account
   * @returns the ids of the queued deliveries
   */
  async #store(
    executor: Executor,
    endpoints: Endpoint[],
    events: NewEvent[],
    subjectId: string | null = null,
  ): Promise<string[]> {
    const [first] = events;
    if (!first) return [];
    const now = new Date();
    const rows = events.map((event) => ({
      ...event,
      id: newId('evt'),
      ...bodyAround(event, now, subjectId),
    }));
    for (const row of rows) row.head = `{"id":"${row.id}",${row.head}`;
    const wanted = rows.flatMap(({ id: eventId, type, accountId }) =>
      endpoints
        .filter((endpoint) => endpoint.accountId === accountId)
        .filter(({ disabledAt, events: types }) => disabledAt === null && types.includes(type))
        .map(({ id: endpointId }) => ({ id: newId('dlv'), eventId, endpointId, accountId })),
    );
    await executor.execute(sql`
      WITH numbered AS (${numberEvents(first.accountId, subjectId, rows.length)}),
      stored AS (
        INSERT INTO webhook_events (id, account_id, type, subject_id, sequence, position, body)
        SELECT e.id, e.account_id, e.type, ${subjectId}::text, numbered.before + e.n, numbered.position,
          e.head || coalesce((numbered.before + e.n)::text, 'null') || e.tail
        FROM unnest(${column(rows, 'id')}, ${column(rows, 'accountId')}, ${column(rows, 'type')}, ${column(rows, 'head')}, ${column(rows, 'tail')})
          WITH ORDINALITY AS e (id, account_id, type, head, tail, n), numbered
        ORDER BY e.n
        RETURNING id, seq, account_id, type, subject_id, body
      )
      INSERT INTO webhook_deliveries (id, endpoint_id, event_id, order_key, account_id, type, body, next_attempt_at)
      SELECT d.id, d.endpoint_id, stored.id, stored.subject_id, stored.account_id, stored.type, stored.body, ${toIso(now)}::timestamptz
      FROM unnest(${column(wanted, 'id')}, ${column(wanted, 'endpointId')}, ${column(wanted, 'eventId')})
        AS d (id, endpoint_id, event_id) JOIN stored ON stored.id = d.event_id
      ORDER BY stored.seq`);
    await this.#schedule(executor, wanted);
    return wanted.map(({ id }) => id);
  }

  /** Has deliveries made soon, by this process or another one. */
  async #schedule(
    executor: Executor,
    deliveries: { id: string; endpointId: string; accountId: string }[],
  ): Promise<void> {
    if (deliveries.length === 0) return;
    const receivers = deliveries.map(({ endpointId, accountId }) => ({ key: endpointId, owner: accountId }));
    const dueAt = this.#queue?.announce(receivers) ?? new Date();
    const ids = deliveries.map(({ id }) => id);
    await this.#jobs.setAll(executor, deliveryJobs.endpoint, ids, dueAt);
  }
}

/** Matches the account of a party; null for a guest, who has none. */
function accountOf(owner: PartyId): SQL | null {
  if (isGuest(owner)) return null;
  return owner.startsWith('account:')
    ? eq(accounts.id, owner.slice('account:'.length))
    : sql`${accounts.wallet} = ${owner}`;
}

const endpointsOf = (executor: Executor, isAccount: SQL): Promise<Endpoint[]> => {
  const { id, accountId, events, disabledAt } = webhookEndpoints;
  return executor
    .select({ id, accountId, events, disabledAt })
    .from(webhookEndpoints)
    .innerJoin(accounts, eq(accounts.id, accountId))
    .where(isAccount);
};

/** One row: the number of the subject's events `before` these, and their position. */
const numberEvents = (accountId: string, subjectId: string | null, count: number): SQL =>
  subjectId === null
    ? sql`SELECT NULL::int AS before, ${newPosition} AS position`
    : sql`
        INSERT INTO webhook_sequences AS known (account_id, subject_id, last, position)
        VALUES (${accountId}, ${subjectId}, ${count}::int, ${newPosition})
        ON CONFLICT (account_id, subject_id) DO UPDATE SET last = known.last + excluded.last,
          position = greatest(known.position, excluded.position), changed_at = excluded.changed_at
        RETURNING last - ${count}::int AS before, position`;

/** The body of an event before and after its sequence, which only the database knows. */
function bodyAround({ type, data }: NewEvent, at: Date, subjectId: string | null) {
  const head = JSON.stringify({ type, timestamp: toIso(at), subjectId }).slice(1, -1);
  return { head: `${head},"sequence":`, tail: `,"data":${JSON.stringify(boundedData(data))}}` };
}

const column = <Name extends string>(rows: Record<Name, string>[], name: Name): SQL =>
  sql`${sql.param(rows.map((row) => row[name]))}::text[]`;
