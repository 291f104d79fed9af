import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import type { PrivateKeyAccount } from 'viem';
import { openDatabase, type OpenDatabase } from '../../../platform/database/database.ts';
import {
  chainId,
  offered,
  signPayment,
  startPaymentChain,
  startRpcProxy,
  type PaymentChain,
  type RpcProxy,
} from './paymentSupport.ts';
import { startProgram } from '../../harness/run/startProgram.ts';
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';

const script = new URL('paymentProgram.ts', import.meta.url);

export const body = { units: 1, item: 'it' };

export interface PaymentNode {
  url: string;
  child: ChildProcess;
  /** The next line that the process prints. */
  line: () => Promise<string>;
}

/** Several servers, each in a separate process, with one database, one chain and one settler key. */
export class PaymentNodes {
  readonly chain: PaymentChain;
  /** The proxy between all nodes and the chain. */
  readonly proxy: RpcProxy;
  readonly database: OpenDatabase;
  readonly #folder: string;
  readonly #running = new Set<ChildProcess>();

  static async create(): Promise<PaymentNodes> {
    const chain = await startPaymentChain();
    const proxy = await startRpcProxy(chain.anvil.url);
    const folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
    await copyDatabaseTemplate(folder);
    const database = await openDatabase({ dataDir: folder, logger: pino({ level: 'silent' }) });
    return new PaymentNodes(chain, proxy, database, folder);
  }

  private constructor(chain: PaymentChain, proxy: RpcProxy, database: OpenDatabase, folder: string) {
    this.chain = chain;
    this.proxy = proxy;
    this.database = database;
    this.#folder = folder;
  }

  /** Starts a single node, which takes over from a dead one without waiting for its lease. */
  startNext(env: Record<string, string> = {}): Promise<PaymentNode> {
    return this.start({ ...env, SINGLE_NODE: 'true' });
  }

  async start(env: Record<string, string> = {}): Promise<PaymentNode> {
    const socket = encodeURIComponent(`${this.#folder}/postgres`);
    const settings = {
      ...this.chain.settings,
      CHAINS_TESTNET: `${chainId}=${this.proxy.url}`,
      DATABASE_URL: `postgresql://postgres@localhost/postgres?host=${socket}`,
      SECRET_KEY: 'one secret for all the nodes of this test',
      REQUEST_LEASE_SECONDS: env.SINGLE_NODE === 'true' ? '600' : '2',
    };
    const child = await startProgram(script, [this.#folder, JSON.stringify(settings)], env);
    this.#running.add(child);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const line = async () => String((await lines.next()).value);
    return { url: await line(), child, line };
  }

  async kill(child: ChildProcess): Promise<void> {
    this.#running.delete(child);
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }

  async killAll(): Promise<void> {
    for (const child of this.#running) await this.kill(child);
  }

  /** @param payer the payer; by default a new one */
  async newPayment(url: string, payer?: PrivateKeyAccount): Promise<string> {
    return signPayment(payer ?? (await this.chain.newPayer()), { accepted: await offered(url, body) });
  }

  async received(): Promise<number> {
    return Number(await this.chain.balanceOf(this.chain.payTo));
  }

  /** The row of the last payment. */
  async lastRow(): Promise<Record<string, unknown>> {
    const { rows } = await this.database.pool.query(
      'SELECT status, tx, failure FROM x402_payments ORDER BY seq DESC LIMIT 1',
    );
    return rows[0] as Record<string, unknown>;
  }

  async close(): Promise<void> {
    await this.killAll();
    await this.database.close();
    this.proxy.close();
    this.chain.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
