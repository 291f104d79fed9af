import { sql } from 'drizzle-orm';
import {
  bigint,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { EvmAddress } from '../../../sdk/protocol/common.ts';
import type { PaymentStatus } from '../../../sdk/protocol/payments.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const whole = (name: string) => bigint(name, { mode: 'number' });

/** Requests that were paid for by themselves. A payment is known by what the token's contract knows it by. */
export const x402Payments = pgTable(
  'x402_payments',
  {
    id: text().primaryKey(),
    seq: whole('seq').generatedAlwaysAsIdentity(),
    /** CAIP-2: eip155:8453. */
    network: text().notNull(),
    asset: text().$type<EvmAddress>().notNull(),
    payer: text().$type<EvmAddress>().notNull(),
    nonce: text().notNull(),
    payTo: text('pay_to').$type<EvmAddress>().notNull(),
    /** In the token's smallest unit. */
    amount: whole('amount').notNull(),
    service: text().notNull(),
    units: integer().notNull(),
    credits: integer().notNull(),
    method: text().notNull(),
    path: text().notNull(),
    /** SHA-256 of the request: its path, its body, its Idempotency-Key, the signature. */
    requestHash: text('request_hash').notNull(),
    /** Where it came from: a signature can be read from the chain, so that it proves nothing by itself any more. */
    sender: text().notNull(),
    /** Before a transaction is sent it is `settling`; what became of it is for the chain to say. */
    status: text().$type<PaymentStatus>().notNull(),
    /** Why it is `failed`. */
    failure: text(),
    /** The transaction, known before it is sent. */
    tx: text().$type<`0x${string}`>(),
    /** The chain's height before anything was sent. */
    sinceBlock: whole('since_block').notNull(),
    validBefore: moment('valid_before').notNull(),
    /** While its request runs, its process moves this on. */
    leaseUntil: moment('lease_until').notNull(),
    /** The node its request runs on: when that is dead, so is the lease. */
    nodeId: text('node_id'),
    answerStatus: integer('answer_status'),
    /** The whole answer, sealed: some hold a secret. */
    answer: bytes(),
    createdAt: moment('created_at').notNull().defaultNow(),
    settledAt: moment('settled_at'),
    /** Until when it may be repeated. */
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    uniqueIndex('x402_payments_nonce_idx').on(table.network, table.asset, table.payer, table.nonce),
    index('x402_payments_payer_idx').on(table.payer, table.seq),
    index('x402_payments_seq_idx').on(table.seq),
    index('x402_payments_running_idx')
      .on(table.nodeId)
      .where(sql`status IN ('settling', 'settled')`),
    index('x402_payments_expiry_idx')
      .on(table.expiresAt)
      .where(sql`answer IS NOT NULL`),
  ],
);

export type PaymentRow = typeof x402Payments.$inferSelect;

/** Whose turn it is to send with a settler's key: a chain takes its transactions in the order of their numbers. */
export const x402Settlers = pgTable(
  'x402_settlers',
  {
    chainId: whole('chain_id').notNull(),
    address: text().notNull(),
    owner: text().notNull(),
    leaseUntil: moment('lease_until').notNull(),
    /** What the last one to send left: an RPC that lags behind would hand out its number again. */
    nextNonce: integer('next_nonce'),
    sentAt: moment('sent_at'),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.address] })],
);
