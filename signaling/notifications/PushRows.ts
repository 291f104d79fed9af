import { sql } from 'drizzle-orm';
import type { Address, IsoDate } from '../../sdk/protocol/common.ts';
import type {
  CallOutcome,
  PushKind,
  PushMessage,
  WirePreferences,
} from '../../sdk/protocol/notifications.ts';
import type { Executor } from '../../platform/database/Executor.ts';

/** The kind of scheduled jobs that send pushes. */
export const pushJob = 'push';

/** The state of a push to one device. If a crash leaves it at `sending`, the result is unknown, and the push is not sent again. */
export type DeviceState = 'sending' | 'sent' | 'later' | 'gone' | 'failed';

/** The payload of a scheduled job. */
export interface PushTask {
  message: PushMessage;
  expiresAt: IsoDate;
  /** The state of each device, by subscription id. Missing before the first attempt. */
  devices?: Record<string, DeviceState>;
  attempts?: number;
  /** A connected device shows the event, so the others need no push. */
  seen?: true;
  outcome?: CallOutcome;
  /** The outcome of the call was sent, and is not sent again. */
  outcomeSent?: true;
}

interface NewTask extends PushTask {
  preference: keyof WirePreferences;
}

/** The subject of a push job. There is one job per event and wallet. */
export const subjectOf = (wallet: Address, kind: PushKind, subject: string) => `${wallet}/${kind}/${subject}`;

const ofSubject = (subject: string) => sql`kind = ${pushJob} AND subject = ${subject}`;

/** Connected devices have this long to show the event themselves. */
export const patienceMs = 3_000;
const patience = `interval '${patienceMs} milliseconds'`;

const isoOf = (moment: string) => `to_char(${moment} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * Like insertTasks(), but for messages: SQL for the statement that stores them.
 * @param placed the name of a table with the messages: id, sender, recipient, sent_at, blocked
 */
export const insertMessageTasks = (placed: string) => `
    INSERT INTO due (kind, subject, due_at, payload)
    SELECT '${pushJob}', p.recipient || '/message/' || p.id, now() + CASE
        WHEN EXISTS (SELECT FROM push_presence c WHERE c.wallet = p.recipient) THEN ${patience} ELSE interval '0' END,
      jsonb_build_object(
        'message', jsonb_build_object('version', 1, 'kind', 'message', 'id', p.id, 'from', p.sender, 'to', p.recipient,
          'at', ${isoOf('p.sent_at')}),
        'expiresAt', ${isoOf(`(p.sent_at + interval '7 days')`)})
    FROM ${placed} p
    WHERE NOT p.blocked AND EXISTS (SELECT FROM push_subscriptions s WHERE s.wallet = p.recipient)
      AND NOT EXISTS (SELECT FROM notification_preferences n WHERE n.wallet = p.recipient AND NOT n.messages)
    ON CONFLICT DO NOTHING`;

/**
 * Inserts jobs for wallets that have devices and want this kind of push. A job is due immediately, or a moment later if a device is
 * connected. Uses a single statement, since it runs inside the event's transaction.
 */
export async function insertTasks(executor: Executor, tasks: NewTask[]): Promise<void> {
  const rows = tasks.map(({ preference, ...task }) => {
    const { to, kind, id } = task.message;
    return { subject: subjectOf(to, kind, id), wallet: to, preference, payload: task };
  });
  await executor.execute(sql`
    INSERT INTO due (kind, subject, due_at, payload)
    SELECT ${pushJob}, o.subject, now() + CASE
        WHEN EXISTS (SELECT FROM push_presence c WHERE c.wallet = o.wallet)
        THEN ${sql.raw(patience)} ELSE interval '0' END, o.payload
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS o(subject text, wallet text, preference text, payload jsonb)
    WHERE EXISTS (SELECT FROM push_subscriptions s WHERE s.wallet = o.wallet)
      AND NOT EXISTS (
        SELECT FROM notification_preferences p WHERE p.wallet = o.wallet AND NOT CASE o.preference
          WHEN 'calls' THEN p.calls WHEN 'messages' THEN p.messages
          WHEN 'voicemails' THEN p.voicemails ELSE p.conference_invites END)
    ON CONFLICT DO NOTHING`);
}

/**
 * Stops a push. A job without attempts is deleted. Otherwise the reason is stored in the job, and an outcome makes the job due immediately.
 */
export async function cancelTask(
  executor: Executor,
  subject: string,
  why: Pick<PushTask, 'seen' | 'outcome'>,
): Promise<void> {
  const tried = sql`payload ? 'devices'`;
  await executor.execute(sql`
    WITH untried AS (DELETE FROM due WHERE ${ofSubject(subject)} AND NOT ${tried})
    UPDATE due SET payload = payload || ${JSON.stringify(why)}::jsonb
      ${why.outcome ? sql`, due_at = now(), lease_until = NULL` : sql``}
    WHERE ${ofSubject(subject)} AND ${tried}`);
}

/** Marks devices as `sending`. Call before sending. @returns false if the push was cancelled */
export async function markSending(executor: Executor, subject: string, ids: string[]): Promise<boolean> {
  const devices = Object.fromEntries(ids.map((id) => [id, 'sending' as const]));
  const { rows } = await executor.execute(sql`
    UPDATE due SET payload = ${withDevices(devices)}
    WHERE ${ofSubject(subject)} AND NOT payload ? 'outcome' AND NOT payload ? 'seen' RETURNING 1`);
  return rows.length > 0;
}

/**
 * Stores the results of an attempt.
 * @param inSeconds when to run the job again, or null for never; if an outcome has arrived in the meantime, the job stays due for that
 */
export async function noteSent(
  executor: Executor,
  subject: string,
  devices: Record<string, DeviceState>,
  { attempts, inSeconds }: { attempts: number; inSeconds: number | null },
): Promise<void> {
  const again =
    inSeconds === null
      ? sql``
      : sql`, due_at = CASE WHEN payload ? 'outcome' THEN due_at ELSE now() + make_interval(secs => ${inSeconds}) END,
        lease_until = CASE WHEN payload ? 'outcome' THEN lease_until END`;
  await executor.execute(sql`
    UPDATE due SET payload = ${withDevices(devices)} || jsonb_build_object('attempts', ${attempts}::int) ${again}
    WHERE ${ofSubject(subject)}`);
}

/** Runs the job again later, without counting an attempt. */
export async function postpone(executor: Executor, subject: string, seconds: number): Promise<void> {
  await executor.execute(sql`
    UPDATE due SET due_at = now() + make_interval(secs => ${seconds}), lease_until = NULL
    WHERE ${ofSubject(subject)}`);
}

/** @returns false if the outcome was already sent */
export async function markOutcomeSent(executor: Executor, subject: string): Promise<boolean> {
  const { rows } = await executor.execute(sql`
    UPDATE due SET payload = payload || '{"outcomeSent": true}'
    WHERE ${ofSubject(subject)} AND NOT payload ? 'outcomeSent' RETURNING 1`);
  return rows.length > 0;
}

const withDevices = (devices: Record<string, DeviceState>) => sql`jsonb_set(payload, '{devices}',
  coalesce(payload->'devices', '{}') || ${JSON.stringify(devices)}::jsonb)`;
