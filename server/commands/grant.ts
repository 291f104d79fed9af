import { eq, or } from 'drizzle-orm';
import { pino } from 'pino';
import { normalAddress } from '../../sdk/protocol/normalAddress.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { Ledger } from '../money/account/Ledger.ts';
import { Plans } from '../money/account/Plans.ts';
import { accounts } from '../money/account/tables.ts';
import { AuditLog } from '../money/audit/AuditLog.ts';
import { readConfig, type Config } from '../config/config.ts';
import type { Database, OpenDatabase } from '../../platform/database/database.ts';
import { CommandError } from '../../platform/CommandError.ts';
import { openForCommand, runCommand } from './openForCommand.ts';

/*
 * `npm run grant -- <wallet or account id> <credits> [reason]` grants credits to an account; with `--plan <id>` it starts a plan. The
 * server need not be running: without DATABASE_URL, the command uses the embedded database, and starts it if no server is running.
 */

const usage = `Usage:
  npm run grant -- <wallet or account id> <credits> [reason]
  npm run grant -- <wallet or account id> --plan <id>
  npm run grant -- <wallet or account id> --end-plan
`;

interface Order {
  /** Wallet or account id. */
  owner: string;
  credits: number;
  reason: string;
  planId: string | null;
  endPlan: boolean;
}

export function parseOrder(args: string[]): Order {
  const [owner, ...rest] = args;
  if (!owner || owner.startsWith('--')) throw new CommandError(usage);
  if (rest[0] === '--end-plan' && rest.length === 1)
    return { owner, credits: 0, reason: '', planId: null, endPlan: true };
  if (rest[0] === '--plan' && rest[1] && rest.length === 2)
    return { owner, credits: 0, reason: '', planId: rest[1], endPlan: false };
  const [credits = '', ...reason] = rest;
  if (!/^[1-9]\d{0,8}$/.test(credits) || reason.some((word) => word.startsWith('--')))
    throw new CommandError(usage);
  return { owner, credits: Number(credits), reason: reason.join(' '), planId: null, endPlan: false };
}

async function main(): Promise<string> {
  const order = parseOrder(process.argv.slice(2));
  const config = readConfig(process.env);
  const database = await openForCommand(config);
  try {
    return await carryOut(order, config, database);
  } finally {
    await database.close();
  }
}

async function carryOut(order: Order, config: Config, database: OpenDatabase): Promise<string> {
  const { db } = database;
  const log = pino({ level: 'silent' });
  // Never started here: the command only adds jobs, which the server runs.
  const jobs = new ScheduledJobs(db, log);
  const ledger = new Ledger({ db, jobs, leaseMs: 0 });
  const plans = new Plans({ db, jobs, ledger, plans: config.PLANS, log });
  const audit = new AuditLog({ ...database, log });
  const account = await findAccount(db, order.owner);
  const { id: accountId } = account;
  const wallet = account.wallet ?? account.email ?? 'no wallet';
  return db.transaction(async (tx) => {
    const operator = { accountId, at: new Date(), actorType: 'operator', action: 'credits.granted' } as const;
    if (order.endPlan) {
      if (!(await plans.cancel(tx, accountId)))
        throw new CommandError(`${wallet} has no plan that the operator started.\n`);
      return `${wallet} (${accountId}): the plan ends after the current month.\n`;
    }
    if (order.planId !== null) {
      const plan = plans.all.find(({ id }) => id === order.planId);
      const known = plans.all.map(({ id }) => id).join(', ') || 'none (set PLANS)';
      if (!plan) throw new CommandError(`There is no plan ${order.planId}. Known plans: ${known}.\n`);
      await plans.start(tx, accountId, plan.id);
      await audit.write(tx, { ...operator, credits: plan.monthlyCredits });
      return `${wallet} (${accountId}) has the plan ${plan.name}: ${plan.monthlyCredits} credits now and every month.\n`;
    }
    const balance = await ledger.grant(tx, {
      accountId,
      amount: order.credits,
      service: 'grant',
      description: order.reason || 'Granted by the operator',
      reference: { type: 'grant', id: newId('txn') },
    });
    await audit.write(tx, { ...operator, credits: order.credits });
    return `${wallet} (${accountId}): ${order.credits} credits granted. The balance is ${balance}.\n`;
  });
}

async function findAccount(db: Database, owner: string) {
  const wallet = normalAddress(owner);
  const [account] = await db
    .select({ id: accounts.id, wallet: accounts.wallet, email: accounts.email })
    .from(accounts)
    .where(or(eq(accounts.id, owner), wallet ? eq(accounts.wallet, wallet) : undefined));
  if (account) return account;
  throw new CommandError(`There is no account ${owner}. A wallet gets an account at its first sign-in.\n`);
}

runCommand(usage, main);
