import Stripe from 'stripe';
import { BillingService } from './BillingService.ts';
import type { Payments } from './Payments.ts';
import { StripeSync } from './StripeSync.ts';
import { StripeWebhook } from './StripeWebhook.ts';
import type { Config } from '../../config/config.ts';
import type { Logger } from 'pino';
import type { Database } from '../../../platform/database/database.ts';
import type { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import type { Ledger } from '../account/Ledger.ts';
import type { Plans } from '../account/Plans.ts';
import type { AuditLog } from '../audit/AuditLog.ts';

interface StripeDeps extends BillingPartsDeps {
  payments: Payments;
  key: string;
  secret: string;
}

/** Creates the parts that use Stripe. This is a separate module so that Stripe's library is loaded only if Stripe is configured. */
export function createStripe({ config, key, secret, publicUrl, ...deps }: StripeDeps) {
  const stripe = new Stripe(key, { ...at(config), timeout: 20_000, maxNetworkRetries: 2, telemetry: false });
  const sync = new StripeSync({ ...deps, stripe });
  return {
    service: new BillingService({ ...deps, stripe, sync, publicUrl }),
    webhook: new StripeWebhook({ ...deps, stripe, secret, sync }),
  };
}

function at({
  STRIPE_API_BASE: base,
}: StripeSettings): Pick<Stripe.StripeConfig, 'host' | 'port' | 'protocol'> {
  if (!base) return {};
  const { hostname, port, protocol } = new URL(base);
  const isPlain = protocol === 'http:';
  return { host: hostname, port: port || (isPlain ? 80 : 443), protocol: isPlain ? 'http' : 'https' };
}
export type StripeSettings = Pick<Config, 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_API_BASE'>;
export interface BillingPartsDeps {
  config: StripeSettings;
  db: Database;
  /** Must not have started yet, because handlers are registered here. */
  jobs: ScheduledJobs;
  ledger: Ledger;
  plans: Plans;
  audit: AuditLog;
  /** Whether the erasure of an account has begun. */
  isErased: (accountId: string) => Promise<boolean>;
  publicUrl: string;
  log: Logger;
}
