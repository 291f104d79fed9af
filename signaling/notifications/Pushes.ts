import { createHash } from 'node:crypto';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Logger } from 'pino';
import type { CallType } from '../../sdk/protocol/calls.ts';
import { toIso, type Address } from '../../sdk/protocol/common.ts';
import type {
  CallOutcome,
  PushKind,
  PushMessage,
  WirePreferences,
} from '../../sdk/protocol/notifications.ts';
import { pushTag } from '../../sdk/protocol/pushTag.ts';
import type { JobRow, ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import {
  cancelTask,
  insertTasks,
  markOutcomeSent,
  markSending,
  noteSent,
  patienceMs,
  postpone,
  pushJob,
  subjectOf,
  type DeviceState,
  type PushTask,
} from './PushRows.ts';
import type { PushOutcome, PushSender } from './PushSender.ts';
import { recipientsOf, recipientsOfOutcome } from './recipients.ts';
import type { Subscription, Subscriptions } from './Subscriptions.ts';

/** Something a wallet's devices are to hear of. */
export interface Offer {
  wallet: Address;
  kind: PushKind;
  /** The call's, message's, voicemail's or room's id. */
  subject: string;
  from: Address;
  /** Of a call. */
  type?: CallType;
  /** When it happened. @default now */
  at?: Date;
  /** When it is of no use any more: a call's end of ringing. @default by its kind */
  expiresAt?: Date;
}

/** Whom an offer is for, and what it is about. */
export type Offered = Pick<Offer, 'wallet' | 'kind' | 'subject'>;

interface PushDeps {
  db: NodePgDatabase;
  jobs: ScheduledJobs;
  sender: PushSender;
  subscriptions: Subscriptions;
  log: Logger;
}

const hourMs = 60 * 60_000;
const kinds: Record<PushKind, { preference: keyof WirePreferences; usefulMs: number; urgent: boolean }> = {
  call: { preference: 'calls', usefulMs: 30_000, urgent: true },
  message: { preference: 'messages', usefulMs: 7 * 24 * hourMs, urgent: true },
  voicemail: { preference: 'voicemails', usefulMs: 7 * 24 * hourMs, urgent: false },
  conferenceInvite: { preference: 'conferenceInvites', usefulMs: hourMs, urgent: true },
};
/** Longer than it takes from the end of ringing until that is in the database. */
const untilOutcomeMs = 120_000;
/** On this node; further ones have their turn a moment later. */
const mostAtOnce = 64;
const turnSeconds = 0.5;
const longestRetrySeconds = 600;
const outcomeUsefulMs = 24 * hourMs;

/** Tells devices that are not connected, or do not react, by the services that can wake them. */
export class Pushes {
  readonly #deps: PushDeps;
  readonly #isOld = new Map<PushKind, (wallet: Address, subject: string) => Promise<boolean>>();
  #running = 0;

  constructor(deps: PushDeps) {
    this.#deps = deps;
    deps.jobs.on(pushJob, (row) => this.#inTurn(row));
  }

  /** In the transaction in which it happens. Costs one statement, however many; wallets without devices leave nothing behind. */
  async offer(executor: Executor, ...offers: Offer[]): Promise<void> {
    const tasks = offers.map(({ wallet, kind, subject, from, type, at = new Date(), expiresAt }) => {
      const { preference, usefulMs } = kinds[kind];
      const until = expiresAt ?? new Date(at.getTime() + usefulMs);
      const base: PushMessage = { version: 1, kind, id: subject, from, to: wallet, at: toIso(at) };
      return { preference, message: { ...base, ...(type ? { type } : {}) }, expiresAt: toIso(until) };
    });
    if (tasks.length === 0) return;
    await insertTasks(executor, tasks);
    this.#deps.jobs.expect(patienceMs);
  }

  /** What is known elsewhere: a push that is due is not sent where this says that it is no news any more. */
  unless(kind: PushKind, isOld: (wallet: Address, subject: string) => Promise<boolean>): void {
    this.#isOld.set(kind, isOld);
  }

  /** A device shows it, or has it: no push is needed any more. */
  async seen(executor: Executor, { wallet, kind, subject }: Offered): Promise<void> {
    await cancelTask(executor, subjectOf(wallet, kind, subject), { seen: true });
  }

  /** A call rings no more, in the transaction that ends it: devices that were told of it hear how it went on, the others nothing. */
  async over(executor: Executor, { wallet, kind, subject }: Offered, outcome: CallOutcome): Promise<void> {
    await cancelTask(executor, subjectOf(wallet, kind, subject), { outcome });
    this.#deps.jobs.expect(0);
  }

  /** A push service that hangs must not keep other deadlines waiting. */
  async #inTurn(row: JobRow): Promise<void> {
    if (this.#running >= mostAtOnce) {
      await postpone(this.#deps.db, row.subject, turnSeconds);
      return this.#deps.jobs.expect(turnSeconds * 1_000);
    }
    this.#running++;
    try {
      await this.#runJob(row);
    } finally {
      this.#running--;
    }
  }

  async #runJob({ subject, payload }: JobRow): Promise<void> {
    const task = payload as PushTask;
    if (task.outcome) return this.#tellOutcome(subject, task, task.outcome);
    const leftMs = Date.parse(task.expiresAt) - Date.now();
    if (leftMs + untilOutcomeMs <= 0) return;
    const { db, jobs, subscriptions, log } = this.#deps;
    const { message, devices = {}, attempts = 0 } = task;
    if (await this.#isOld.get(message.kind)?.(message.to, message.id)) return;
    const open = recipientsOf(await subscriptions.of(message.to), message).filter(({ id }) =>
      ['later', undefined].includes(devices[id]),
    );
    const ids = open.map(({ id }) => id);
    // It may be cancelled in this moment.
    const isWanted = !task.seen && leftMs > 0 && open.length > 0 && (await markSending(db, subject, ids));
    const outcomes = isWanted
      ? await Promise.all(open.map((each) => this.#send(each, message, task.expiresAt)))
      : [];
    const states: Record<string, DeviceState> = Object.fromEntries(
      outcomes.map(({ state }, index) => [ids[index] ?? '', state]),
    );
    const inSeconds = againIn({ ...task, devices: { ...devices, ...states } }, outcomes, attempts);
    await noteSent(db, subject, states, { attempts: attempts + 1, inSeconds });
    if (inSeconds !== null) jobs.expect(inSeconds * 1_000);
    const { kind, id, to } = message;
    if (isWanted)
      log.info({ push: kind, subject: id, wallet: to, devices: Object.values(states) }, 'push sent');
  }

  /** By those that were told, so that nothing rings on. Once: what it replaces disappears by itself some time. */
  async #tellOutcome(subject: string, task: PushTask, outcome: CallOutcome): Promise<void> {
    const { db, subscriptions } = this.#deps;
    if (!(await markOutcomeSent(db, subject))) return;
    const message = { ...task.message, outcome, at: toIso(new Date()) };
    const expiresAt = toIso(new Date(Date.now() + outcomeUsefulMs));
    const devices = recipientsOfOutcome(await subscriptions.of(message.to), task.devices ?? {});
    await Promise.all(devices.map((each) => this.#send(each, message, expiresAt)));
  }

  async #send({ id, target }: Subscription, message: PushMessage, expiresAt: string): Promise<PushOutcome> {
    const { sender, subscriptions, log } = this.#deps;
    const outcome = await sender.send(target, {
      message,
      topic: createHash('sha256').update(pushTag(message)).digest('base64url').slice(0, 32),
      urgent: kinds[message.kind].urgent,
      expiresAt: new Date(expiresAt),
    });
    if (outcome.state === 'gone') await subscriptions.drop(target);
    if (outcome.state === 'failed' || outcome.state === 'later')
      log.warn({ device: id, service: target.service, ...outcome }, 'push not taken');
    return outcome;
  }
}

/** When to look at it again: to repeat what was not taken, while that is of use; of a call that was told, for its outcome. */
function againIn(task: PushTask, outcomes: PushOutcome[], attempts: number): number | null {
  const leftMs = Date.parse(task.expiresAt) - Date.now();
  const waits = outcomes.flatMap((outcome) =>
    outcome.state === 'later' ? [outcome.afterSeconds ?? Math.min(2 ** attempts, longestRetrySeconds)] : [],
  );
  const retry = Math.min(...waits);
  if (retry * 1_000 < leftMs) return retry;
  const isTold = Object.values(task.devices ?? {}).some((state) => state === 'sent' || state === 'sending');
  return task.message.kind === 'call' && isTold ? (leftMs + untilOutcomeMs) / 1_000 : null;
}
