import type { Logger } from 'pino';
import Stripe from 'stripe';
import type { DueRows } from '../signaling/due/DueRows.ts';
import type { Ledger } from './account/Ledger.ts';
import type { Plans } from './account/Plans.ts';
import type { AuditLog } from './audit/AuditLog.ts';
import { BillingService } from './billing/BillingService.ts';
import { Payments } from './billing/Payments.ts';
import type { Billing } from './billing/routes.ts';
import { StripeSync } from './billing/StripeSync.ts';
import { StripeWebhook } from './billing/StripeWebhook.ts';
import type { Config } from './config.ts';
import type { Database } from './database.ts';

type StripeSettings = Pick<Config, 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_API_BASE'>;

interface BillingPartsDeps {
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
export function createBilling({ config, publicUrl, ...deps }: BillingPartsDeps): Billing {
  const payments = new Payments(deps);
  const { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: secret } = config;
  if (!key || !secret) return { payments, stripe: null };
  const stripe = new Stripe(key, { ...at(config), timeout: 20_000, maxNetworkRetries: 2, telemetry: false });
  const sync = new StripeSync({ ...deps, stripe, payments });
  return {
    payments,
    stripe: {
      service: new BillingService({ ...deps, stripe, payments, sync, publicUrl }),
      webhook: new StripeWebhook({ ...deps, stripe, secret, sync }),
    },
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
