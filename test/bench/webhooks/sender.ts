import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../../sdk/protocol/ids.ts';
import { EventBench, type Hooked } from '../../integration/webhooks/EventBench.ts';
import { cpuTimesOf } from '../cpuTime.ts';

/*
 * A process that sends events to the URLs it is given. As `parley`, it is a node without its HTTP interface: it stores the events, and its
 * queue delivers them. As `bare`, it posts each event with fetch() and stores nothing.
 */

export interface Order {
  perSecond: number;
  seconds: number;
}

export interface Sent {
  events: number;
  /** The number of events for each URL. */
  byUrl: number[];
  seconds: number;
}

/** What the process has used so far. */
export interface Usage {
  /** CPU time in milliseconds. */
  node: number;
  postgres: number;
  /** Resident memory in MB. */
  memory: number;
}

/** Emits an event to each of the receivers. */
type Emit = (receivers: number[]) => Promise<unknown>;

const [, , kind, ...urls] = process.argv;
/** Shorter than a round, so that Parley gives up the deliveries of a round before its next one. */
const timeoutMs = 5_000;
const tickMs = 10;
/** A fifth of the events belong to rooms, whose events are delivered one after the other. */
const roomShare = 5;

async function parley(): Promise<{
  emit: Emit;
  backends: () => Promise<number[]>;
  close: () => Promise<void>;
}> {
  const bench = await EventBench.start({ WEBHOOK_TIMEOUT_SECONDS: String(timeoutMs / 1_000) });
  const { db, pool } = bench.database;
  const receivers: { account: Hooked; room: string; count: number }[] = [];
  for (const url of urls) {
    const account = await bench.account();
    await bench.endpoint(account, { url });
    receivers.push({ account, room: newId('room'), count: 0 });
  }
  const emit: Emit = (indexes) => {
    const due = indexes.flatMap((index) => receivers[index] ?? []);
    const ofRooms = due.filter((receiver) => receiver.count++ % roomShare === 0);
    const ofTexts = due.filter((receiver) => !ofRooms.includes(receiver));
    return db.transaction(async (tx) => {
      const data = { id: newId('msg') };
      const events = ofTexts.map(
        ({ account }) => ({ type: 'message.sent', accountId: account.id, numberId: null, data }) as const,
      );
      await bench.webhooks.events.emit(tx, events);
      for (const { account, room } of ofRooms) await bench.emit(account.wallet, room, undefined, tx);
    });
  };
  const backends = async () => {
    const { rows } = await pool.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
    return rows.map(({ pid }) => pid);
  };
  return { emit, backends, close: () => bench.close() };
}

function bare(): Awaited<ReturnType<typeof parley>> {
  const post = async (index: number) => {
    const body = JSON.stringify({ id: newId('evt'), type: 'message.sent', timestamp: new Date(), data: {} });
    const headers = {
      'content-type': 'application/json',
      'webhook-id': newId('evt'),
      'webhook-signature': 'v1,',
    };
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(urls[index] ?? '', { method: 'POST', headers, body, signal }).catch(
      () => null,
    );
    await answer?.arrayBuffer();
  };
  const emit: Emit = (indexes) => Promise.all(indexes.map(post));
  return { emit, backends: () => Promise.resolve([]), close: () => Promise.resolve() };
}

const { emit, backends, close } = kind === 'parley' ? await parley() : bare();

async function usage(): Promise<Usage> {
  const { user, system } = process.cpuUsage();
  const postgres = [...cpuTimesOf(await backends()).values()].reduce((sum, ms) => sum + ms, 0);
  return { node: (user + system) / 1_000, postgres, memory: process.memoryUsage.rss() / 1e6 };
}

/** Emits events to all receivers in turn, evenly over the time, and waits until they are stored (or, without storage, posted). */
async function send({ perSecond, seconds }: Order): Promise<Sent> {
  const byUrl = urls.map(() => 0);
  const emitting: Promise<unknown>[] = [];
  const startedAt = performance.now();
  let events = 0;
  while (events < perSecond * seconds) {
    const until = Math.min(perSecond * seconds, ((performance.now() - startedAt) / 1_000) * perSecond);
    const indexes: number[] = [];
    for (; events < until; events++) indexes.push(events % urls.length);
    for (const index of indexes) byUrl[index] = (byUrl[index] ?? 0) + 1;
    emitting.push(emit(indexes));
    await delay(tickMs);
  }
  if (kind === 'parley') await Promise.all(emitting);
  return { events, byUrl, seconds: (performance.now() - startedAt) / 1_000 };
}

process.on('message', (order: Order | 'usage' | 'close') => {
  if (order === 'close') void close().then(() => process.exit());
  else void (order === 'usage' ? usage() : send(order)).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
