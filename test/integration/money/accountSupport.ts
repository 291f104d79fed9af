import pg from 'pg';
import type { WireCreatedApiKey } from '../../../sdk/protocol/apiKeys.ts';
import type { KeyScope } from '../../../sdk/protocol/http.ts';
import type { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { ask, bearer, newWallet, signIn, type Reply } from '../support.ts';

/** Rate limits so high that no test reaches them by accident. */
export const roomySettings = { RATE_LIMIT_READS: '100000', RATE_LIMIT_WRITES: '100000' };

/** A wallet signed in to the dashboard and to an app. */
export interface Customer {
  wallet: string;
  dashboard: Record<string, string>;
  app: Record<string, string>;
}

export async function newCustomer(url: string): Promise<Customer> {
  const account = newWallet();
  const dashboard = await signIn(url, account, { audience: 'dashboard' });
  const app = await signIn(url, account);
  return { wallet: account.address, dashboard: bearer(dashboard.token), app: bearer(app.token) };
}

export const api = (
  url: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<Reply> => ask(url, method, `/api/v1${path}`, { headers, ...(body === undefined ? {} : { body }) });

/** Creates an API key with the dashboard session. */
export async function newKey(
  url: string,
  { dashboard }: Customer,
  body: { name?: string; scopes?: readonly KeyScope[]; expiresInDays?: number } = {},
): Promise<WireCreatedApiKey> {
  const reply = await api(url, 'POST', '/api-keys', dashboard, { name: 'a key', ...body });
  if (reply.status !== 201) throw new Error(`api key: ${reply.text}`);
  return reply.body as unknown as WireCreatedApiKey;
}

/** Connects to the embedded database of a running server. The test must end the client. */
export async function connectDatabase({ dataDir }: Pick<ServerProcess, 'dataDir'>): Promise<pg.Client> {
  const client = new pg.Client({ host: `${dataDir}/postgres`, user: 'postgres', database: 'postgres' });
  client.on('error', () => {});
  await client.connect();
  return client;
}

export async function queryDatabase(
  server: Pick<ServerProcess, 'dataDir'>,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = await connectDatabase(server);
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Accounts whose balance differs from the sum of their ledger. There must be none. */
export const wrongBalances = (server: Pick<ServerProcess, 'dataDir'>) =>
  queryDatabase(
    server,
    `SELECT a.id, a.credits, sum(CASE l.type WHEN 'debit' THEN -l.amount ELSE l.amount END) AS ledger
     FROM accounts a LEFT JOIN ledger l ON l.account_id = a.id GROUP BY a.id
     HAVING a.credits <> coalesce(sum(CASE l.type WHEN 'debit' THEN -l.amount ELSE l.amount END), 0)`,
  );
