/** A column with values that are sealed with a key from SECRET_KEY. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The purpose of the key. */
  purpose: string;
  /** The columns of the primary key. */
  key: string[];
  /** The place for which a value is sealed, from the values of the primary key. */
  place: (...key: string[]) => string;
}

const byId = (id: string) => id;
const webhookOf = (id: string) => `webhook of ${id}`;

/** All of them. `npm run rotate:key` seals their values again. */
export const sealedColumns: SealedColumn[] = [
  { table: 'esim_profiles', column: 'sealed', purpose: 'esim profiles', key: ['id'], place: byId },
  { table: 'streams', column: 'key_sealed', purpose: 'stream keys, sealed', key: ['id'], place: byId },
  { table: 'x402_payments', column: 'answer', purpose: 'x402 answers', key: ['id'], place: byId },
  {
    table: 'idempotency_keys',
    column: 'answer',
    purpose: 'idempotency answers',
    key: ['account_id', 'method', 'path', 'key'],
    place: (...key) => JSON.stringify(key),
  },
  ...['secret', 'previous_secret'].flatMap((column) => [
    { table: 'webhooks', column, purpose: 'webhook secrets', key: ['number_id'], place: webhookOf },
    { table: 'webhook_endpoints', column, purpose: 'webhook secrets', key: ['id'], place: webhookOf },
  ]),
];
