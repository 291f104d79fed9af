import { expect } from 'vitest';
import type { Database } from '../../../platform/database/database.ts';
import type { Charge, UnitOfWork } from '../../../server/http/Route.ts';
import type { z } from 'zod';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import type { thread } from '../../../sdk/protocol/messaging.ts';
import type { numberOrder } from '../../../sdk/protocol/numbers.ts';
import { until } from '../../harness/until.ts';
import type { WireMessage } from '../../../server/telephony/messaging/toWire.ts';
import type { WireNumber } from '../../../server/telephony/numbers/toWire.ts';
import { api, newCustomer, newKey, queryDatabase } from '../money/accountSupport.ts';
import { bearer, type Reply } from '../support.ts';

export type WireThread = z.output<typeof thread>;
export type WireOrder = z.output<typeof numberOrder>;

/** An account with an API key that has all scopes. */
export class PhoneUser {
  readonly #url: () => string;
  readonly wallet: string;
  readonly headers: Record<string, string>;

  static async create(url: () => string): Promise<PhoneUser> {
    const customer = await newCustomer(url());
    const { secret } = await newKey(url(), customer, { scopes: keyScopes });
    return new PhoneUser(url, customer.wallet, bearer(secret));
  }

  private constructor(url: () => string, wallet: string, headers: Record<string, string>) {
    this.#url = url;
    this.wallet = wallet;
    this.headers = headers;
  }

  ask(method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<Reply> {
    return api(this.#url(), method, path, { ...this.headers, ...more }, body);
  }

  /** @throws Error if the request fails */
  async get<T = Record<string, unknown>>(path: string): Promise<T> {
    const reply = await this.ask('GET', path);
    if (reply.status !== 200) throw new Error(`GET ${path}: ${reply.text}`);
    return reply.body as T;
  }

  async post<T = Record<string, unknown>>(path: string, body: unknown): Promise<T> {
    const reply = await this.ask('POST', path, body);
    if (reply.status > 299) throw new Error(`POST ${path}: ${reply.text}`);
    return reply.body as T;
  }

  /** Sends a request that should be rejected. @returns the status and the error code */
  async refusal(method: string, path: string, body?: unknown): Promise<[number, unknown]> {
    const reply = await this.ask(method, path, body);
    return [reply.status, reply.body.error];
  }

  async buy(wanted: object = { country: 'US' }): Promise<WireNumber> {
    const order = await this.post<WireOrder>('/numbers/buy', wanted);
    expect(order).toMatchObject({ status: 'completed', number: { status: 'active' } });
    return order.number as WireNumber;
  }

  async credits(): Promise<number> {
    return (await this.get<{ credits: number }>('/account/credits')).credits;
  }

  message = (id: string) => this.get<WireMessage>(`/sms/${id}`);

  /** Waits until the text has this status. */
  reached(id: string, status: WireMessage['status'], limitMs?: number): Promise<WireMessage> {
    const find = async () => {
      const found = await this.message(id);
      return found.status === status && found;
    };
    return until(find, `${id} is ${status}`, limitMs) as Promise<WireMessage>;
  }

  messages = async (query = '') =>
    (await this.get<{ data: WireMessage[] }>(`/numbers/mine/messages${query}`)).data;
  inbox = async (query = '') => (await this.get<{ data: WireMessage[] }>(`/sms/inbox${query}`)).data;
  threads = async (query = '') => (await this.get<{ data: WireThread[] }>(`/messaging/threads${query}`)).data;
}

/** Grants additional credits with an entry in the ledger. */
export async function grant(
  server: { dataDir: string },
  { wallet }: PhoneUser,
  amount: number,
): Promise<void> {
  await queryDatabase(
    server,
    `WITH grown AS (UPDATE accounts SET credits = credits + $2 WHERE lower(wallet) = lower($1) RETURNING id, credits)
     INSERT INTO ledger (id, account_id, type, service, amount, balance_after, description, reference_type, reference_id)
     SELECT 'txn_' || replace(gen_random_uuid()::text, '-', ''), id, 'credit', 'test', $2, credits, 'test', 'test', gen_random_uuid()::text FROM grown`,
    [wallet, amount],
  );
}

/** Does work as the executor of routes does it, for requests that the test does not send by HTTP. */
export async function inUnit<T>(
  db: Database,
  work: (unit: UnitOfWork) => Promise<T>,
  charge: Charge | null = null,
): Promise<T> {
  const actions: (() => void)[] = [];
  const done = await db.transaction((tx) =>
    work({ tx, pay: () => Promise.resolve(charge), afterCommit: (act) => void actions.push(act) }),
  );
  for (const act of actions) act();
  return done;
}
