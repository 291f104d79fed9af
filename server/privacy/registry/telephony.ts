import { sql } from 'drizzle-orm';
import type { Executor } from '../../../platform/database/Executor.ts';
import { esimOrders, esimProfiles } from '../../esim/tables.ts';
import {
  leakBreaches,
  leakEntries,
  leakImports,
  leakPasswords,
  leakQuotas,
} from '../../leaksearch/tables.ts';
import { messageParts, messages, threads } from '../../telephony/messaging/tables.ts';
import { numberOrders, phoneNumbers } from '../../telephony/numbers/tables.ts';
import { handedParts } from '../../telephony/sms/handedOver/tables.ts';
import { loopbackTexts } from '../../telephony/sms/loopback/tables.ts';
import { smppInboundParts, smppInboundTexts } from '../../telephony/sms/smpp/tables.ts';
import { stockNumbers } from '../../telephony/sms/stock/tables.ts';
import { optOuts, poolAssignments } from '../../telephony/sms/tables.ts';
import { verifications } from '../../telephony/verifications/tables.ts';
import {
  webhookClock,
  webhookDeliveries,
  webhookEndpoints,
  webhookEvents,
  webhooks,
  webhookSequences,
} from '../../webhooks/tables.ts';
import { xmppAccounts } from '../../xmpp/tables.ts';
import { eraseTexts, oldCodes, oldTexts } from '../retention/texts.ts';
import { deletes, exported, older, rowsOf, valuesOf } from './rules.ts';
import type { Subject, TableData } from './TableData.ts';

const ofAccount = ({ accountId }: Subject) => sql`account_id = ${accountId}`;

/** Removes numbers with their webhooks. */
async function removeNumbers(tx: Executor, rows: Record<string, unknown>[]): Promise<void> {
  const ids = sql`${sql.param(valuesOf(rows, 'id'))}::text[]`;
  await tx.execute(sql`DELETE FROM webhooks WHERE number_id = ANY(${ids})`);
  await tx.execute(sql`DELETE FROM phone_numbers WHERE id = ANY(${ids})`);
}

async function removeEsims(tx: Executor, rows: Record<string, unknown>[]): Promise<void> {
  const ids = sql`${sql.param(valuesOf(rows, 'id'))}::text[]`;
  await tx.execute(sql`DELETE FROM esim_profiles WHERE order_id = ANY(${ids})`);
  await tx.execute(sql`DELETE FROM esim_orders WHERE id = ANY(${ids})`);
}

/** Texts, numbers, look-ups, eSIMs and webhooks. */
export const telephonyTables: TableData[] = [
  {
    table: webhooks,
    kept: 'One row for each number with a webhook, removed with the number.',
    personal: {
      exports: [exported('webhooksOfNumbers', webhooks, ofAccount, ['secret', 'previous_secret'])],
      erases: [deletes(webhooks, ofAccount)],
    },
  },
  {
    table: webhookEndpoints,
    kept: 'Removed by their account; an account may have a limited number.',
    personal: {
      exports: [exported('webhooks', webhookEndpoints, ofAccount, ['secret', 'previous_secret'])],
      erases: [deletes(webhookEndpoints, ofAccount)],
    },
  },
  {
    table: webhookDeliveries,
    kept: [older('KEEP_WEBHOOK_LOG_DAYS', webhookDeliveries.settledAt, sql`settled_at IS NOT NULL`)],
    personal: {
      exports: [exported('webhookDeliveries', webhookDeliveries, ofAccount)],
      erases: [deletes(webhookDeliveries, ofAccount)],
    },
  },
  {
    table: webhookEvents,
    kept: [older('KEEP_WEBHOOK_LOG_DAYS', webhookEvents.createdAt)],
    personal: {
      exports: [exported('webhookEvents', webhookEvents, ofAccount)],
      erases: [deletes(webhookEvents, ofAccount)],
    },
  },
  {
    table: webhookSequences,
    // One that goes on after that would begin with 1 again.
    kept: [older(365, webhookSequences.changedAt)],
    personal: { erases: [deletes(webhookSequences, ofAccount)] },
  },
  { table: webhookClock, kept: 'One row.', personal: 'One number.' },
  {
    table: handedParts,
    kept: 'Removed after a few days: see HandedOver.ts.',
    personal: {
      erases: [
        deletes(
          handedParts,
          ({ accountId }) =>
            sql`submission_id IN (SELECT m.id FROM messages m WHERE m.account_id = ${accountId})`,
        ),
      ],
    },
  },
  {
    table: loopbackTexts,
    kept: 'Removed a day after their delivery: see LoopbackCarrier.ts.',
    personal: {
      erases: [
        deletes(
          loopbackTexts,
          ({ accountId }) => sql`id IN (SELECT m.id FROM messages m WHERE m.account_id = ${accountId})`,
        ),
      ],
    },
  },
  {
    table: messageParts,
    kept: 'Removed with their text; those without a text after a while: see Outcomes.ts.',
    personal: 'A carrier’s references, which are removed with the text.',
  },
  {
    table: messages,
    kept: [oldTexts, oldCodes],
    personal: {
      exports: [exported('texts', messages, ofAccount)],
      erases: [
        {
          find: ({ accountId, wallet }, locks) =>
            rowsOf(
              messages,
              // A text that a payer has paid for has a `payment_id`. Its index finds these few: `payer` has none.
              sql`(account_id = ${accountId} OR (payer = ${wallet} AND payment_id IS NOT NULL))`,
              sql`id, thread_id`,
              locks,
            ),
          erase: eraseTexts,
        },
      ],
    },
  },
  {
    table: threads,
    kept: 'Removed with the last of their texts.',
    personal: {
      exports: [exported('threads', threads, ofAccount)],
      erases: [deletes(threads, ofAccount)],
    },
  },
  {
    table: poolAssignments,
    kept: [older('KEEP_TEXTS_DAYS', poolAssignments.usedAt)],
    personal: { erases: [deletes(poolAssignments, ofAccount)] },
  },
  {
    table: optOuts,
    kept: 'An opt-out must be respected until the recipient opts in again. One row for each pair of numbers.',
    personal:
      'The numbers of recipients, who asked for it. Those of a number are removed when it is released.',
  },
  {
    table: verifications,
    kept: 'Removed a while after they expire: see VerificationService.ts.',
    personal: {
      exports: [exported('verifications', verifications, ofAccount, ['code_hash'])],
      erases: [deletes(verifications, ofAccount)],
    },
  },
  {
    table: numberOrders,
    kept: [older('KEEP_ORDERS_DAYS', numberOrders.createdAt, sql`status NOT IN ('pending', 'processing')`)],
    personal: {
      exports: [exported('numberOrders', numberOrders, ofAccount)],
      erases: [
        deletes(
          numberOrders,
          (person) => sql`${ofAccount(person)} AND status NOT IN ('pending', 'processing')`,
        ),
      ],
    },
  },
  {
    table: phoneNumbers,
    kept: [
      {
        setting: 'KEEP_ORDERS_DAYS',
        // The job that returns a number to the carrier still reads its row, however long the carrier refuses that.
        find: (before) =>
          rowsOf(
            phoneNumbers,
            sql`released_at < ${before.toISOString()}::timestamptz AND status = 'released'
              AND NOT EXISTS (SELECT FROM due d WHERE d.kind = 'number.release' AND d.subject = phone_numbers.id)`,
            sql`id`,
          ),
        remove: (tx, rows) => removeNumbers(tx, rows),
      },
    ],
    personal: {
      exports: [exported('numbers', phoneNumbers, ofAccount)],
      // Erasure.ts has released them. The job that returns a number to the carrier still reads its row.
      erases: [
        deletes(
          phoneNumbers,
          (person) => sql`${ofAccount(person)} AND status = 'released'
            AND NOT EXISTS (SELECT FROM due d WHERE d.subject = phone_numbers.id)`,
        ),
      ],
    },
  },
  {
    table: stockNumbers,
    kept: 'One row for each number of the operator’s stock that is sold.',
    personal: 'The operator’s numbers.',
  },
  {
    table: smppInboundParts,
    kept: 'Removed when the text is complete, or after a day: see InboundTexts.ts.',
    personal: 'Parts of texts that are still arriving.',
  },
  {
    table: smppInboundTexts,
    kept: 'Removed after a few days: see InboundTexts.ts.',
    personal: 'Digests of texts.',
  },
  {
    table: esimProfiles,
    kept: 'Removed with their order.',
    personal: 'Encrypted. Removed with the order.',
  },
  {
    table: esimOrders,
    kept: [
      {
        setting: 'KEEP_ORDERS_DAYS',
        find: (before) =>
          rowsOf(
            esimOrders,
            sql`created_at < ${before.toISOString()}::timestamptz AND status <> 'submitting'`,
            sql`id`,
          ),
        remove: (tx, rows) => removeEsims(tx, rows),
      },
    ],
    personal: {
      exports: [exported('esims', esimOrders, ofAccount)],
      erases: [
        {
          find: (person, locks) =>
            rowsOf(esimOrders, sql`${ofAccount(person)} AND status <> 'submitting'`, sql`id`, locks),
          erase: (tx, rows) => removeEsims(tx, rows),
        },
      ],
    },
  },
  {
    table: xmppAccounts,
    kept: 'One row for each account at the XMPP server.',
    personal: {
      exports: [exported('xmpp', xmppAccounts, ofAccount)],
      // The account at the XMPP server stays until the operator removes it there: see docs/guides/data-protection.md.
      erases: [deletes(xmppAccounts, ofAccount)],
    },
  },
  {
    table: leakQuotas,
    // A period has up to 31 days. Without its count, the quota would begin again.
    kept: [
      older('KEEP_SETTLED_DAYS', leakQuotas.periodStart, sql`period_start < now() - interval '32 days'`),
    ],
    personal: {
      exports: [exported('breachSearches', leakQuotas, ofAccount)],
      erases: [deletes(leakQuotas, ofAccount)],
    },
  },
  { table: leakBreaches, kept: 'Imported by the operator.', personal: 'Names of breaches.' },
  { table: leakEntries, kept: 'Imported by the operator.', personal: 'Keyed hashes.' },
  {
    table: leakPasswords,
    kept: 'Imported by the operator.',
    personal: 'Hashes of passwords of unknown people.',
  },
  { table: leakImports, kept: 'Imported by the operator.', personal: 'Names of files.' },
];
