import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { PartyId } from '../../../sdk/protocol/party.ts';
import type { WireWebhookEndpoint } from '../../../sdk/protocol/webhookEndpoints.ts';
import type { RealtimeEventType, WebhookEventType } from '../../../sdk/protocol/webhookEvents.ts';
import type { WireAccountEvent } from '../../../sdk/protocol/accountEvent.ts';
import { openDatabase, type OpenDatabase } from '../../../platform/database/database.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { loadSecrets } from '../../../platform/secrets.ts';
import { createWebhooks } from '../../../server/compose/createWebhooks.ts';
import { readConfig } from '../../../server/config/config.ts';
import { accounts } from '../../../server/money/account/tables.ts';
import { AuditLog } from '../../../server/money/audit/AuditLog.ts';
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';
import { WebhookReceiver, type Received } from '../../harness/services/WebhookReceiver.ts';
import { until } from '../../harness/until.ts';
import { newWallet } from '../support.ts';

/** An account with endpoints. */
export interface Hooked {
  id: string;
  wallet: PartyId;
}

/** The webhooks of a server in this process, on a real database, without the rest of the server. */
export class EventBench {
  readonly #dataDir: string;
  readonly database: OpenDatabase;
  readonly jobs: ScheduledJobs;
  readonly webhooks: Awaited<ReturnType<typeof createWebhooks>>;
  readonly #receivers: WebhookReceiver[] = [];

  static async start(settings: Record<string, string> = {}): Promise<EventBench> {
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-events-'));
    const config = readConfig({
      NODE_ENV: 'test',
      DATA_DIR: dataDir,
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      ...settings,
    });
    const log = pino({ level: 'silent' });
    await copyDatabaseTemplate(dataDir);
    const database = await openDatabase({ dataDir, logger: log });
    const { db, pool } = database;
    const jobs = new ScheduledJobs(db, log);
    const audit = new AuditLog({ db, pool, log });
    const publicUrl = 'https://parley.example';
    const parts = { config, db, secrets: await loadSecrets(config), jobs, publicUrl, log };
    const webhooks = await createWebhooks({ ...parts, audit, delivers: true });
    jobs.start();
    return new EventBench({ dataDir, database, jobs, webhooks });
  }

  private constructor(parts: Pick<EventBench, 'database' | 'jobs' | 'webhooks'> & { dataDir: string }) {
    this.#dataDir = parts.dataDir;
    this.database = parts.database;
    this.jobs = parts.jobs;
    this.webhooks = parts.webhooks;
  }

  async account(): Promise<Hooked> {
    const id = newId('acc');
    const wallet = newWallet().address;
    await this.database.db.insert(accounts).values({ id, wallet });
    return { id, wallet };
  }

  async receiver(): Promise<WebhookReceiver> {
    const receiver = await WebhookReceiver.start();
    this.#receivers.push(receiver);
    return receiver;
  }

  changer = ({ id: accountId, wallet }: Hooked) => ({
    principal: {
      kind: 'session',
      accountId,
      session: { sessionId: newId('ses'), accountId, wallet, audience: 'dashboard' },
    } as never,
    origin: { requestId: 'req', method: 'POST', path: '/', ip: '127.0.0.1', userAgent: null },
  });

  endpoint(
    account: Hooked,
    { url }: { url: string },
    events?: WebhookEventType[],
  ): Promise<WireWebhookEndpoint> {
    const body = { url, events, description: '' };
    return this.database.db.transaction((tx) =>
      this.webhooks.endpoints.create(tx, body, this.changer(account)),
    );
  }

  /** Emits one event of each type about a subject, in a transaction of its own unless one is given. */
  async emit(
    owner: PartyId,
    subject: string,
    types: RealtimeEventType[] = ['participant.updated'],
    executor?: Executor,
  ): Promise<void> {
    const emit = (tx: Executor) =>
      this.webhooks.accountEvents.emit(tx, { id: subject, owner }, () =>
        types.map((type) => ({ type, data: { room: { id: subject } } })),
      );
    await (executor ? emit(executor) : this.database.db.transaction(emit));
  }

  /** Reads a page of the feed, as it is now. */
  async shown({ id }: Hooked, query: object = {}): Promise<WireAccountEvent[]> {
    return (await this.webhooks.endpoints.events(id, query)).data;
  }

  /** Reads a page of the feed, with all events that are stored now. Any transaction that began earlier hides them, also one of a job. */
  async feed(account: Hooked, query: object = {}): Promise<WireAccountEvent[]> {
    const ask = (text: string) => this.database.pool.query<{ is: string }>(text);
    const { rows } = await ask('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS is');
    const isOver = `SELECT 1 WHERE pg_snapshot_xmin(pg_current_snapshot()) >= '${rows[0]?.is ?? ''}'::xid8`;
    await until(async () => (await ask(isOver)).rowCount === 1, 'earlier transactions have ended');
    return this.shown(account, query);
  }

  /** Reads on until there are no more events. */
  async feedAfter(account: Hooked, after: string | null): Promise<WireAccountEvent[]> {
    const page = await this.webhooks.endpoints.events(account.id, { limit: 10, ...(after && { after }) });
    return page.hasMore ? [...page.data, ...(await this.feedAfter(account, page.nextAfter))] : page.data;
  }

  async close(): Promise<void> {
    await Promise.all(this.#receivers.splice(0).map((receiver) => receiver.close()));
    await this.jobs.close();
    await this.webhooks.close();
    await this.database.close();
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}

/** The sequences of each subject in the order of their first arrival, without the repetitions of failed attempts. */
export function sequences(events: { subjectId?: string | null; sequence?: number | null }[]) {
  const bySubject = new Map<string, number[]>();
  for (const { subjectId, sequence } of events) {
    const seen = bySubject.get(subjectId ?? '') ?? [];
    if (seen.at(-1) !== sequence) seen.push(sequence ?? 0);
    bySubject.set(subjectId ?? '', seen);
  }
  return Object.fromEntries(bySubject);
}

export const bodiesOf = (received: Received[]) =>
  received.map(({ body }) => body as unknown as WireAccountEvent);

export const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);
