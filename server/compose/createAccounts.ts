import { AccountService } from '../money/account/AccountService.ts';
import { BalanceCheck } from '../money/account/BalanceCheck.ts';
import { Ledger } from '../money/account/Ledger.ts';
import { Plans } from '../money/account/Plans.ts';
import { UsageSums } from '../money/account/UsageSums.ts';
import { ApiKeyService } from '../money/apiKeys/ApiKeyService.ts';
import { KeyReader } from '../money/apiKeys/KeyReader.ts';
import { AuditLog } from '../money/audit/AuditLog.ts';
import { webhooksOfKeys } from '../webhooks/webhooksOfKeys.ts';
import { givesTrialCredits } from '../config/configWarnings.ts';
import { Idempotency } from '../money/idempotency/Idempotency.ts';
import type { AccountFundingDeps } from '../money/AccountFunding.ts';
import type { ExecutorDeps } from '../money/executeRoute.ts';
import { SharedTransactions } from '../../platform/database/SharedTransactions.ts';
import type { Parts } from './Parts.ts';
import type { SessionHooks } from '../identity/SessionService.ts';

export interface Accounts {
  ledger: Ledger;
  plans: Plans;
  audit: AuditLog;
  keys: KeyReader;
  apiKeys: ApiKeyService;
  account: AccountService;
  /** What runs requests and pays them with credits. */
  executor: AccountFundingDeps & ExecutorDeps;
  sessionHooks: SessionHooks;
  /** Writes what is still in memory. */
  close(): Promise<void>;
}

/** Creates the parts for accounts, API keys and credits. */
export async function createAccounts(
  parts: Pick<Parts, 'config' | 'db' | 'pool' | 'secrets' | 'jobs' | 'nodeId' | 'log'>,
): Promise<Accounts> {
  const { config, db, pool, secrets, jobs, nodeId, log } = parts;
  const leaseMs = config.REQUEST_LEASE_SECONDS * 1_000;
  const ledger = new Ledger({ db, jobs, leaseMs, nodeId });
  const plans = new Plans({ db, jobs, ledger, plans: config.PLANS, log });
  const audit = new AuditLog({ db, pool, log });
  const pepper = secrets.lasting('api keys');
  const keys = new KeyReader({ pool, pepper, log });
  const sealKeys = secrets.keys('idempotency answers');
  const idempotency = new Idempotency({ db, sealKeys, leaseMs, nodeId, log });
  const signupCredits = config.SIGNUP_CREDITS ?? (givesTrialCredits(config) ? 500 : 0);
  if (config.ROLES.includes('api')) {
    await new BalanceCheck({ db, jobs, log }).start();
    await new UsageSums({ db, jobs }).start();
  }
  return {
    ledger,
    plans,
    audit,
    keys,
    apiKeys: new ApiKeyService({ db, audit, pepper, webhooks: webhooksOfKeys }),
    account: new AccountService({ db, plans }),
    executor: { db, shared: new SharedTransactions(db), ledger, idempotency, leaseMs },
    sessionHooks: sessionHooks(ledger, audit, signupCredits),
    async close() {
      await keys.close();
      await audit.close();
    },
  };
}

function sessionHooks(ledger: Ledger, audit: AuditLog, signupCredits: number): SessionHooks {
  return {
    async accountMade(tx, accountId, origin) {
      if (signupCredits === 0) return;
      await ledger.grant(tx, {
        accountId,
        amount: signupCredits,
        service: 'signup',
        description: 'Sign-up credits',
        reference: { type: 'signup', id: accountId },
      });
      const granted = { actorType: 'system', action: 'credits.granted', credits: signupCredits } as const;
      await audit.write(tx, { accountId, at: new Date(), ...granted, ...origin });
    },
    async created(tx, { id, accountId }, origin) {
      const at = new Date();
      const actor = { actorType: 'session', actorId: id } as const;
      await audit.write(tx, { accountId, at, ...actor, action: 'session.created', ...origin });
    },
    async ended(tx, { id, accountId }, origin) {
      const actor = { actorType: 'session', actorId: id } as const;
      await audit.write(tx, { accountId, at: new Date(), ...actor, action: 'session.ended', ...origin });
    },
  };
}
