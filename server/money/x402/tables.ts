import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { bytes, moment } from '../../../platform/database/columns.ts';
import type { EvmAddress } from '../../../sdk/protocol/common.ts';
import type { RequestPaymentStatus } from '../../../sdk/protocol/payments.ts';

const whole = (name: string) => bigint(name, { mode: 'number' });

/** Payments per request. Network, asset, payer and nonce identify a payment, as in the token's contract. */
export const x402Payments = pgTable(
  'x402_payments',
  {
    id: text().primaryKey(),
    seq: whole('seq').generatedAlwaysAsIdentity(),
    /** CAIP-2 id, for example eip155:8453. */
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
    /** SHA-256 of the request: method, path, body, Idempotency-Key and signature. */
    requestHash: text('request_hash').notNull(),
    /** SHA-256 of method, path and Idempotency-Key. With it, the payer's next payment for the same request gets this one's answer. */
    keyHash: text('key_hash'),
    /** SHA-256 of the body of a request with an Idempotency-Key. */
    bodyHash: text('body_hash'),
    /**
     * The sender's network, which a repeated request without an Idempotency-Key must match. A used signature can be read from the chain, so
     * it does not identify the sender.
     */
    sender: text().notNull(),
    /** `settling` from before the transaction is sent until its outcome has been read from the chain. */
    status: text().$type<RequestPaymentStatus>().notNull(),
    /** The reason for the status `failed`; `superseded` if another payment has paid for its Idempotency-Key. */
    failure: text(),
    /** Hash of the transaction, stored before it is sent. */
    tx: text().$type<`0x${string}`>(),
    /** The height of the chain before anything was sent. */
    sinceBlock: whole('since_block').notNull(),
    validBefore: moment('valid_before').notNull(),
    /** End of the lease, which the process renews while the request runs. */
    leaseUntil: moment('lease_until').notNull(),
    /** The node on which the request runs. Its death ends the lease. */
    nodeId: text('node_id'),
    answerStatus: integer('answer_status'),
    /** The whole answer, encrypted because some answers contain secrets. */
    answer: bytes(),
    createdAt: moment('created_at').notNull().defaultNow(),
    settledAt: moment('settled_at'),
    /** Until when the request may be repeated. */
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    index('x402_payments_failed_idx')
      .on(table.seq)
      .where(sql`status = 'failed'`),
    // The payer first: few networks and assets could make PostgreSQL read this index for the payments of a payer.
    uniqueIndex('x402_payments_nonce_idx').on(table.payer, table.nonce, table.network, table.asset),
    uniqueIndex('x402_payments_key_idx')
      .on(table.payer, table.keyHash)
      .where(sql`key_hash IS NOT NULL`),
    index('x402_payments_payer_idx').on(table.payer, table.seq),
    index('x402_payments_seq_idx').on(table.seq),
    index('x402_payments_created_idx').on(table.createdAt),
    index('x402_payments_running_idx')
      .on(table.nodeId)
      .where(sql`status IN ('settling', 'settled')`),
    index('x402_payments_expiry_idx')
      .on(table.expiresAt)
      .where(sql`answer IS NOT NULL`),
  ],
);

export type PaymentRow = typeof x402Payments.$inferSelect;

/** Leases of the settlers' keys. Only the lease's owner may send transactions, because a chain takes them in the order of their nonces. */
export const x402Settlers = pgTable(
  'x402_settlers',
  {
    chainId: whole('chain_id').notNull(),
    address: text().notNull(),
    owner: text().notNull(),
    leaseUntil: moment('lease_until').notNull(),
    /** The nonce that follows the last one sent. It is stored because an RPC that lags behind would return the last nonce again. */
    nextNonce: integer('next_nonce'),
    sentAt: moment('sent_at'),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.address] })],
);
