import { sql } from 'drizzle-orm';
import {
  accounts,
  ledger,
  reservations,
  subscriptions,
  usageDays,
  usageHours,
  usageProgress,
} from '../../money/account/tables.ts';
import { apiKeys } from '../../money/apiKeys/tables.ts';
import { auditLog } from '../../money/audit/tables.ts';
import { payments, stripeCustomers } from '../../money/billing/tables.ts';
import { idempotencyKeys } from '../../money/idempotency/tables.ts';
import { x402Payments, x402Settlers } from '../../money/x402/tables.ts';
import { identities, refreshTokens, sessions, usedNonces } from '../../identity/tables.ts';
import { dataExports, erasures } from '../tables.ts';
import { compactLedger } from '../retention/compactLedger.ts';
import { discardFiles, empties, deletes, exported, older, rowsOf, valuesOf } from './rules.ts';
import type { Subject, TableData } from './TableData.ts';

const ofAccount = ({ accountId }: Subject) => sql`account_id = ${accountId}`;

/** Accounts, sessions and money. */
export const moneyTables: TableData[] = [
  {
    table: refreshTokens,
    kept: 'Removed when they expire, 30 days after their use at the latest: see removeExpired.ts.',
    personal: {
      erases: [
        deletes(
          refreshTokens,
          ({ accountId }) =>
            sql`session_id IN (SELECT s.id FROM sessions s WHERE s.account_id = ${accountId} AND s.ended_at IS NOT NULL)`,
        ),
      ],
    },
  },
  {
    table: sessions,
    kept: 'Removed with the last of their refresh tokens.',
    personal: {
      exports: [exported('sessions', sessions, ofAccount, ['wallet_evidence'])],
      // The connections of a session are still open until the erasure has ended it.
      erases: [deletes(sessions, (subject) => sql`${ofAccount(subject)} AND ended_at IS NOT NULL`)],
    },
  },
  {
    table: usedNonces,
    kept: 'Removed when they expire, after minutes: see removeExpired.ts.',
    personal: 'A random number.',
  },
  {
    table: identities,
    // Tokens that were issued before the unlinking are refused with this row. They are valid for a day: see ProviderTokens.ts.
    kept: [older(2, identities.unlinkedAt, sql`account_id IS NULL`)],
    personal: {
      exports: [exported('identities', identities, ofAccount)],
      erases: [deletes(identities, ofAccount)],
    },
  },
  {
    table: idempotencyKeys,
    kept: 'Removed after a day, when new ones are stored.',
    personal: { erases: [deletes(idempotencyKeys, ofAccount)] },
  },
  {
    table: auditLog,
    kept: [older('KEEP_AUDIT_DAYS', auditLog.at)],
    personal: {
      exports: [exported('audit', auditLog, ofAccount)],
      erases: [deletes(auditLog, ofAccount)],
    },
  },
  {
    table: ledger,
    kept: [compactLedger],
    personal: {
      exports: [exported('ledger', ledger, ofAccount)],
      // The amounts stay, because the balance is their sum.
      erases: [
        empties(
          ledger,
          (person) => sql`${ofAccount(person)} AND reference_type <> 'erased'`,
          sql`description = '', reference_type = 'erased', reference_id = id, api_key_prefix = NULL`,
        ),
      ],
    },
  },
  {
    table: usageHours,
    kept: [older('KEEP_AUDIT_DAYS', usageHours.hour)],
    personal: {
      exports: [exported('usage', usageHours, ofAccount)],
      erases: [deletes(usageHours, ofAccount)],
    },
  },
  {
    table: usageDays,
    kept: [older('KEEP_AUDIT_DAYS', usageDays.day)],
    // The same is exported by hour.
    personal: { erases: [deletes(usageDays, ofAccount)] },
  },
  {
    table: usageProgress,
    kept: 'One row for each source of usage.',
    personal: 'Positions in the audit log and the ledger.',
  },
  {
    table: reservations,
    kept: [older('KEEP_SETTLED_DAYS', reservations.settledAt)],
    personal: {
      // Held ones are settled by their jobs. They say what was bought, and not by whom.
      erases: [deletes(reservations, (person) => sql`${ofAccount(person)} AND status <> 'held'`)],
    },
  },
  {
    table: subscriptions,
    kept: 'One row for each account with a plan.',
    personal: {
      exports: [exported('plan', subscriptions, ofAccount)],
      erases: [deletes(subscriptions, ofAccount)],
    },
  },
  {
    table: stripeCustomers,
    kept: 'One row for each paying account.',
    personal: { erases: [deletes(stripeCustomers, ofAccount)] },
  },
  {
    table: payments,
    kept: [
      older(
        'KEEP_PAYMENTS_DAYS',
        payments.createdAt,
        // Stripe may report further refunds, or the end of a dispute, years later. What was taken back must then be known. An erased
        // account's payment has no PaymentIntent any more.
        sql`status <> 'pending' AND (credits_reversed = 0 OR payment_intent_id IS NULL)`,
      ),
    ],
    personal: {
      exports: [exported('payments', payments, ofAccount)],
      erases: [
        empties(
          payments,
          (person) => sql`${ofAccount(person)} AND description <> ''`,
          sql`description = '', checkout_id = NULL, invoice_id = NULL, payment_intent_id = NULL`,
        ),
      ],
    },
  },
  {
    table: x402Payments,
    kept: [
      older('KEEP_PAYMENTS_DAYS', x402Payments.createdAt, sql`status <> 'settling' AND expires_at < now()`),
    ],
    personal: {
      exports: [
        exported('paymentsPerRequest', x402Payments, ({ wallet }) => sql`payer = ${wallet}`, [
          'answer',
          'request_hash',
          'key_hash',
          'body_hash',
          'sender',
        ]),
      ],
      erases: [
        empties(
          x402Payments,
          ({ wallet }) => sql`payer = ${wallet} AND status <> 'settling' AND nonce <> id`,
          sql`nonce = id, tx = NULL, path = '', request_hash = '', key_hash = NULL, body_hash = NULL, sender = '', answer = NULL`,
        ),
      ],
    },
  },
  {
    table: x402Settlers,
    kept: 'One row for each key of the operator.',
    personal: 'The operator’s own keys.',
  },
  {
    table: apiKeys,
    kept: [
      older(
        'KEEP_AUDIT_DAYS',
        apiKeys.revokedAt,
        sql`NOT EXISTS (SELECT FROM webhooks w WHERE w.set_by_key = api_keys.id)
          AND NOT EXISTS (SELECT FROM webhook_endpoints w WHERE w.set_by_key = api_keys.id)`,
      ),
    ],
    personal: {
      exports: [exported('apiKeys', apiKeys, ofAccount, ['hash'])],
      erases: [deletes(apiKeys, ofAccount)],
    },
  },
  {
    table: dataExports,
    kept: [older('KEEP_SETTLED_DAYS', dataExports.requestedAt, sql`file_id IS NULL`)],
    personal: {
      exports: [exported('exports', dataExports, ofAccount, ['file_id'])],
      erases: [
        {
          find: (person, locks) => rowsOf(dataExports, ofAccount(person), sql`id, file_id`, locks),
          async erase(tx, rows, { jobs }) {
            await discardFiles(tx, jobs, valuesOf(rows, 'file_id'));
            await tx.execute(
              sql`DELETE FROM data_exports WHERE id = ANY(${sql.param(valuesOf(rows, 'id'))}::text[])`,
            );
          },
        },
      ],
    },
  },
  {
    table: erasures,
    kept: 'One row for each erased account, without the person.',
    personal: 'A random account id, a random pseudonym and times.',
  },
  {
    table: accounts,
    kept: 'One row for each account. An erased account stays without the person, because its ledger refers to it.',
    personal: {
      exports: [exported('account', accounts, ({ accountId }) => sql`id = ${accountId}`)],
      // The last step of the erasure: see Erasure.ts.
      erases: [],
    },
  },
];
