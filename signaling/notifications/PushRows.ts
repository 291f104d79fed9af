import { sql } from 'drizzle-orm';
import { toIso, type Address, type IsoDate } from '../../sdk/protocol/common.ts';
import type { CallOutcome, PushKind, PushMessage } from '../../sdk/protocol/notifications.ts';
import type { Executor } from '../../platform/database/Executor.ts';

/** The kind of scheduled jobs that send pushes. */
export const pushJob = 'push';

/**
 * The state of a push to one device. If it stays at `sending`, after a crash or because the push service did not answer, the result is unknown,
 * and the push is not sent again.
 */
export type DeviceState = 'sending' | 'sent' | 'later' | 'gone' | 'failed';

/** The payload of a scheduled job. */
export interface PushTask {
  message: PushMessage;
  expiresAt: IsoDate;
  /** The state of each device, by subscription id. Missing before the first attempt. */
  devices?: Record<string, DeviceState>;
  attempts?: number;
  /** Until when the outcome of the call waits for the devices that are `sending`. */
  sendingUntil?: IsoDate;
  /** A connected device shows the event, so the others need no push. */
  seen?: true;
  outcome?: CallOutcome;
  /** The session of the device that has answered or declined. It gets no outcome: a phone would close the call that it has just answered. */
  outcomeBy?: string | undefined;
  /** The outcome of the call was sent, and is not sent again. */
  outcomeSent?: true;
}

/** The subject of a push job. There is one job per event and wallet. */
export const subjectOf = (wallet: Address, kind: PushKind, subject: string) => `${wallet}/${kind}/${subject}`;

const ofSubject = (subject: string) => sql`kind = ${pushJob} AND subject = ${subject}`;

/** Connected devices have this long to show the event themselves. */
export const patienceMs = 3_000;
const patience = `interval '${patienceMs} milliseconds'`;

/**
 * How long the outcome of a call waits for an attempt that is under way. Push services answer within a second; the other devices do not ring
 * on for a service that does not.
 */
const sendingMs = 4_000;

interface KindOfPush {
  /** The column of the preference that switches this kind off. */
  preference: string;
  /** How long the push is useful, if the offer does not say so. */
  usefulFor: string;
  /** Whether it may wake a device. */
  urgent: boolean;
}

export const kinds: Record<PushKind, KindOfPush> = {
  call: { preference: 'calls', usefulFor: '30 seconds', urgent: true },
  message: { preference: 'messages', usefulFor: '7 days', urgent: true },
  voicemail: { preference: 'voicemails', usefulFor: '7 days', urgent: false },
  group: { preference: 'messages', usefulFor: '7 days', urgent: false },
  conferenceInvite: { preference: 'conference_invites', usefulFor: '1 hour', urgent: true },
};

const byKind = (valueOf: (kind: KindOfPush) => string) => {
  const cases = Object.entries(kinds).map(([kind, each]) => `WHEN '${kind}' THEN ${valueOf(each)}`);
  return `CASE o.kind ${cases.join(' ')} END`;
};
const isoOf = (moment: string) => `to_char(${moment} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * SQL that inserts jobs for wallets that have devices and want this kind of push. A job is due immediately, or a moment later if a device is
 * connected. It is a part of the statement that stores the events, or a statement in their transaction.
 * @param offered the name of a table of offers: kind, subject, sender, recipient, at, and type and expires_at, which may be null
 */
export const insertPushes = (offered: string) => `
    INSERT INTO due (kind, subject, due_at, payload)
    SELECT '${pushJob}', o.recipient || '/' || o.kind || '/' || o.subject, now() + CASE
        WHEN EXISTS (SELECT FROM push_presence c WHERE c.wallet = o.recipient) THEN ${patience} ELSE interval '0' END,
      jsonb_build_object(
        'message', jsonb_strip_nulls(jsonb_build_object('version', 1, 'kind', o.kind, 'id', o.subject,
          'from', o.sender, 'to', o.recipient, 'at', ${isoOf('o.at')}, 'type', o.type)),
        'expiresAt', ${isoOf(`coalesce(o.expires_at, o.at + ${byKind(({ usefulFor }) => `interval '${usefulFor}'`)})`)})
    FROM ${offered} o
    WHERE EXISTS (SELECT FROM push_subscriptions s WHERE s.wallet = o.recipient)
      AND NOT EXISTS (
        SELECT FROM notification_preferences p
        WHERE p.wallet = o.recipient AND NOT ${byKind(({ preference }) => `p.${preference}`)})
    ON CONFLICT DO NOTHING`;

/**
 * Stops a push. A job without attempts is deleted. Otherwise the reason is stored in the job, and an outcome makes the job due immediately.
 */
export async function cancelTask(
  executor: Executor,
  subject: string,
  why: Pick<PushTask, 'seen' | 'outcome' | 'outcomeBy'>,
): Promise<void> {
  const { rowCount } = await executor.execute(sql`
    DELETE FROM due WHERE ${ofSubject(subject)} AND NOT payload ? 'devices'`);
  if (rowCount) return;
  // A statement of its own: it also sees an attempt that has begun while the first one waited for the row.
  await executor.execute(sql`
    UPDATE due SET payload = payload || ${JSON.stringify(why)}::jsonb
      ${why.outcome ? sql`, due_at = now(), lease_until = NULL` : sql``}
    WHERE ${ofSubject(subject)}`);
}

/** Marks devices as `sending`. Call before sending. @returns false if the push was cancelled */
export async function markSending(executor: Executor, subject: string, ids: string[]): Promise<boolean> {
  const devices = Object.fromEntries(ids.map((id) => [id, 'sending' as const]));
  const until = { sendingUntil: toIso(new Date(Date.now() + sendingMs)) };
  const { rows } = await executor.execute(sql`
    UPDATE due SET payload = ${withDevices(devices)} || ${JSON.stringify(until)}::jsonb
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

/** Runs a job later, without an attempt. A job that has got an outcome meanwhile is due for that already. */
export async function putOff(executor: Executor, subject: string, task: PushTask, inSeconds: number) {
  await executor.execute(sql`
    UPDATE due SET due_at = now() + make_interval(secs => ${inSeconds}), lease_until = NULL
    WHERE ${ofSubject(subject)} AND (payload ? 'outcome') = ${task.outcome !== undefined}`);
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
