import type { Logger } from 'pino';
import type { DueRows } from '../../platform/jobs/DueRows.ts';
import type { Ledger } from '../money/account/Ledger.ts';
import type { Plans } from '../money/account/Plans.ts';
import type { AuditLog } from '../money/audit/AuditLog.ts';
import { Payments } from '../money/billing/Payments.ts';
import type { Billing } from '../money/billing/routes.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../../platform/database/database.ts';

export type StripeSettings = Pick<Config, 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_API_BASE'>;

export interface BillingPartsDeps {
  config: StripeSettings;
  db: Database;
  /** Not started yet: handlers are registered here. */
  due: DueRows;
  ledger: Ledger;
  plans: Plans;
  audit: AuditLog;
  publicUrl: string;
  log: Logger;
}

/** Payments, and Stripe, where it is configured. */
export async function createBilling(deps: BillingPartsDeps): Promise<Billing> {
  const payments = new Payments(deps);
  const { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: secret } = deps.config;
  if (!key || !secret) return { payments, stripe: null };
  const { createStripe } = await import('../money/billing/createStripe.ts');
  return { payments, stripe: createStripe({ ...deps, payments, key, secret }) };
}
