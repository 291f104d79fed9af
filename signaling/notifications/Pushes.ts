import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Logger } from 'pino';
import type { CallType } from '../../sdk/protocol/calls.ts';
import { toIso, type Address } from '../../sdk/protocol/common.ts';
import type { CallOutcome, PushKind, PushMessage } from '../../sdk/protocol/notifications.ts';
import { pushTag } from '../../sdk/protocol/pushTag.ts';
import { rescheduled, type JobRow, type ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { People } from '../people/People.ts';
import {
  cancelTask,
  insertPushes,
  kinds,
  markOutcomeSent,
  markSending,
  noteSent,
  patienceMs,
  pushJob,
  putOff,
  subjectOf,
  type DeviceState,
  type PushTask,
} from './PushRows.ts';
import type { PushOutcome, PushSender } from './PushSender.ts';
import { recipientsOf, recipientsOfOutcome } from './recipients.ts';
import { SlowDevices } from './SlowDevices.ts';
import type { Subscription, Subscriptions } from './Subscriptions.ts';

/**
 * Reads what a push says of its subject, or that it is out of date. Then no push is sent.
 * @returns more of the push's content
 */
type Describe = (
  wallet: Address,
  subject: string,
  from: Address,
) => Promise<Pick<PushMessage, 'group'> | 'old'>;

/** An event that a wallet's devices may get as a push. */
export interface Offer {
  wallet: Address;
  kind: PushKind;
  /** The id of the call, message, voicemail, room or group. */
  subject: string;
  from: Address;
  /** Only for calls. */
  type?: CallType;
  /** The time of the event. @default now */
  at?: Date;
  /** When the push becomes useless: for a call, when it stops ringing. @default by kind */
  expiresAt?: Date;
}

/** The recipient and the subject of an offer. */
export type Offered = Pick<Offer, 'wallet' | 'kind' | 'subject'>;

interface PushDeps {
  db: NodePgDatabase;
  jobs: ScheduledJobs;
  sender: PushSender;
  subscriptions: Subscriptions;
  people: Pick<People, 'nameFor'>;
  log: Logger;
}

/** An upper bound on the time between the end of ringing and the commit that stores it. */
const untilOutcomeMs = 120_000;
/** The maximum number of running push jobs. Others wait, so that a push service that hangs does not delay jobs of other kinds. */
const maxConcurrent = 64;
/** The maximum number of running push jobs of a wallet, so that its devices do not delay the pushes of others. */
const maxOfWallet = 4;
/** Further jobs of the wallet run again after this time, one by one at the given distance. */
const [putOffMs, distanceMs] = [500, 25];
const maxRetrySeconds = 600;
/** The pauses between these attempts double up to the maximum, and add up to about an hour. */
const maxAttempts = 15;
const outcomeUsefulMs = 24 * 60 * 60_000;

/** Sends pushes to devices that are not connected or do not react. */
export class Pushes {
  readonly #deps: PushDeps;
  readonly #describers = new Map<PushKind, Describe>();
  /** By wallet: the number of its running jobs, and when the last of those that were put off runs again, by performance.now(). */
  readonly #turns = new Map<Address, { running: number; putOffUntil: number }>();
  readonly #slow = new SlowDevices(maxConcurrent / 2);

  constructor(deps: PushDeps) {
    this.#deps = deps;
    deps.jobs.on(pushJob, (row) => this.#runJob(row), { atOnce: maxConcurrent });
  }

  /**
   * Schedules pushes. Call inside the event's transaction. Uses one statement for all offers. Wallets without subscriptions get no rows.
   */
  async offer(executor: Executor, ...offers: Offer[]): Promise<void> {
    if (offers.length === 0) return;
    await executor.execute(sql`
      WITH offered AS (
        SELECT kind, subject, "from" AS sender, wallet AS recipient, type, coalesce(at, now()) AS at,
          "expiresAt" AS expires_at
        FROM jsonb_to_recordset(${JSON.stringify(offers)}::jsonb) AS o(kind text, subject text, "from" text,
          wallet text, type text, at timestamptz, "expiresAt" timestamptz)
      ) ${sql.raw(insertPushes('offered'))}`);
    this.#deps.jobs.expect(patienceMs);
  }

  /** Sets what is read before a push of this kind is sent. */
  describe(kind: PushKind, describe: Describe): void {
    this.#describers.set(kind, describe);
  }

  /** Call when a device shows or already has the event, so that no push is needed. */
  async seen(executor: Executor, { wallet, kind, subject }: Offered): Promise<void> {
    await cancelTask(executor, subjectOf(wallet, kind, subject), { seen: true });
  }

  /**
   * Call inside the transaction that ends ringing. Devices that got the push also get the outcome, except the one that has answered or
   * declined. Others get nothing.
   * @param outcomeBy the session of that device
   */
  async over(
    executor: Executor,
    { wallet, kind, subject }: Offered,
    outcome: CallOutcome,
    outcomeBy?: string,
  ): Promise<void> {
    await cancelTask(executor, subjectOf(wallet, kind, subject), { outcome, outcomeBy });
    this.#deps.jobs.expect(0);
  }

  async #runJob({ subject, payload }: JobRow): Promise<typeof rescheduled | void> {
    const { db, jobs } = this.#deps;
    const task = payload as PushTask;
    const wallet = task.message.to;
    const turn = this.#turns.get(wallet) ?? { running: 0, putOffUntil: 0 };
    if (turn.running >= maxOfWallet) {
      const now = performance.now();
      turn.putOffUntil = Math.max(turn.putOffUntil + distanceMs, now + putOffMs);
      const inMs = turn.putOffUntil - now;
      await putOff(db, subject, task, inMs / 1_000);
      jobs.expect(inMs);
      return rescheduled;
    }
    this.#turns.set(wallet, turn);
    turn.running++;
    try {
      return await this.#runTask(subject, task);
    } finally {
      // Others may wait for this turn.
      if (turn.running === maxOfWallet) jobs.expect(0);
      turn.running--;
      if (turn.running === 0) this.#turns.delete(wallet);
    }
  }

  async #runTask(subject: string, task: PushTask): Promise<typeof rescheduled | void> {
    if (task.outcome) return this.#sendOutcome(subject, task, task.outcome);
    const leftMs = Date.parse(task.expiresAt) - Date.now();
    if (leftMs + untilOutcomeMs <= 0) return;
    const { db, jobs, subscriptions, log } = this.#deps;
    const { message, devices = {}, attempts = 0 } = task;
    const described =
      (await this.#describers.get(message.kind)?.(message.to, message.id, message.from)) ?? {};
    if (described === 'old') return;
    const open = recipientsOf(await subscriptions.of(message.to), message).filter(({ id }) =>
      ['later', undefined].includes(devices[id]),
    );
    const ids = open.map(({ id }) => id);
    // If the push was cancelled in the meantime, markSending() returns false.
    const isWanted = !task.seen && leftMs > 0 && open.length > 0 && (await markSending(db, subject, ids));
    const named = isWanted ? await this.#withName({ ...message, ...described }) : message;
    const outcomes = isWanted
      ? await Promise.all(open.map((each) => this.#send(each, named, task.expiresAt)))
      : [];
    const states: Record<string, DeviceState> = Object.fromEntries(
      outcomes.map((outcome, index) => [ids[index] ?? '', stateOf(outcome)]),
    );
    const inSeconds = againIn({ ...task, devices: { ...devices, ...states } }, outcomes, attempts);
    await noteSent(db, subject, states, { attempts: attempts + 1, inSeconds });
    if (inSeconds !== null) jobs.expect(inSeconds * 1_000);
    const { kind, id, to } = message;
    if (isWanted)
      log.info({ push: kind, subject: id, wallet: to, devices: Object.values(states) }, 'push sent');
  }

  /**
   * Sends the outcome to devices that got the push, so that they stop ringing. It is sent only once, because the notification also expires
   * on its own. It waits for a push of the call that is under way: if that arrived later, the device would ring on.
   */
  async #sendOutcome(
    subject: string,
    task: PushTask,
    outcome: CallOutcome,
  ): Promise<typeof rescheduled | void> {
    const { db, jobs, subscriptions } = this.#deps;
    const isSending = Object.values(task.devices ?? {}).includes('sending');
    if (isSending && Date.parse(task.sendingUntil ?? '') > Date.now()) {
      await putOff(db, subject, task, putOffMs / 1_000);
      jobs.expect(putOffMs);
      return rescheduled;
    }
    if (!(await markOutcomeSent(db, subject))) return;
    const message = await this.#withName({ ...task.message, outcome, at: toIso(new Date()) });
    const expiresAt = toIso(new Date(Date.now() + outcomeUsefulMs));
    const others = (await subscriptions.of(message.to)).filter(
      ({ sessionId }) => sessionId !== task.outcomeBy,
    );
    const devices = recipientsOfOutcome(others, task.devices ?? {});
    await Promise.all(devices.map((each) => this.#send(each, message, expiresAt)));
  }

  /** Adds the name by which the recipient knows the sender. It is read when the push is sent, so that it is current. */
  async #withName(message: PushMessage): Promise<PushMessage> {
    const { people, log } = this.#deps;
    const fromName = await people.nameFor(message.to, message.from).catch((err: unknown) => {
      log.warn({ err }, 'name for push not read');
      return null;
    });
    return fromName === null ? message : { ...message, fromName };
  }

  async #send({ id, target }: Subscription, message: PushMessage, expiresAt: string): Promise<PushOutcome> {
    const { sender, subscriptions, log } = this.#deps;
    const push = {
      message,
      topic: createHash('sha256').update(pushTag(message)).digest('base64url').slice(0, 32),
      urgent: kinds[message.kind].urgent,
      expiresAt: new Date(expiresAt),
    };
    const outcome = await this.#slow.attempt(id, () => sender.send(target, push));
    if (outcome.state === 'gone') await subscriptions.drop(target);
    if (outcome.state === 'failed' || outcome.state === 'later')
      log.warn({ device: id, service: target.service, ...outcome }, 'push not accepted');
    return outcome;
  }
}

/** A device that may have got the push of a call also gets the outcome. */
const stateOf = (outcome: PushOutcome): DeviceState =>
  outcome.state === 'failed' && outcome.mayHaveArrived ? 'sending' : outcome.state;

/**
 * In how many seconds the job runs again: to retry failed devices while the push is useful, or to send a call's outcome. Null for never.
 */
function againIn(task: PushTask, outcomes: PushOutcome[], attempts: number): number | null {
  const leftMs = Date.parse(task.expiresAt) - Date.now();
  const pause = Math.min(2 ** attempts, maxRetrySeconds);
  // A service that asks to try again at once, or at a time that has passed by this clock, would use up all attempts within a second.
  const waits = outcomes.flatMap((outcome) =>
    outcome.state === 'later' ? [outcome.afterSeconds || pause] : [],
  );
  const retry = Math.min(...waits);
  if (attempts + 1 < maxAttempts && retry * 1_000 < leftMs) return retry;
  const wasSent = Object.values(task.devices ?? {}).some((state) => state === 'sent' || state === 'sending');
  return task.message.kind === 'call' && wasSent ? (leftMs + untilOutcomeMs) / 1_000 : null;
}
