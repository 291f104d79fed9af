import { HTTPFacilitatorClient, type FacilitatorClient } from '@x402/core/server';
import { privateKeyToAccount } from 'viem/accounts';
import { ConfigError } from '../../platform/ConfigError.ts';
import { ChainVerifier } from '../money/x402/ChainVerifier.ts';
import { Offers } from '../money/x402/Offers.ts';
import { PaidRequests } from '../money/x402/PaidRequests.ts';
import { paymentJob, X402Payments } from '../money/x402/X402Payments.ts';
import { defaultToken } from '../money/x402/readToken.ts';
import type { Parts } from './Parts.ts';
import { createSettler } from '../money/x402/Settler.ts';
import { SettlerLease } from '../money/x402/SettlerLease.ts';

type PaidRequestDeps = Pick<
  Parts,
  'config' | 'db' | 'secrets' | 'jobs' | 'chains' | 'nodeId' | 'publicUrl' | 'log'
>;

export interface PaidRequestParts {
  x402Payments: X402Payments;
  /** null if payments per request are not configured. */
  paidRequests: PaidRequests | null;
}

/** The time limit of requests to a facilitator: longer than it usually needs, and shorter than the time limits of clients. */
const facilitatorLimitMs = 30_000;
/** How many lost payments are looked for at the same time: a chain may not answer for long. */
const paymentsAtOnce = 20;

/** Creates the parts for payments per request (x402). */
export function createPaidRequests(parts: PaidRequestDeps): PaidRequestParts {
  const { config, db, secrets, jobs, chains, nodeId, publicUrl, log } = parts;
  const { X402_PAY_TO: payTo, X402_NETWORKS: networks } = config;
  const leaseMs = config.REQUEST_LEASE_SECONDS * 1_000;
  const sealKeys = secrets.keys('x402 answers');
  const payments = new X402Payments({ db, jobs, sealKeys, leaseMs, nodeId, log });
  if (!payTo || networks.length === 0) {
    // Jobs that were added while payments were configured are postponed until payments are configured again.
    jobs.on(paymentJob, ({ subject }) => jobs.set(db, paymentJob, subject, new Date(Date.now() + 3_600_000)));
    return { x402Payments: payments, paidRequests: null };
  }
  const unknown = networks.filter(({ network, token }) => token === null && defaultToken(network) === null);
  if (unknown.length > 0)
    throw new ConfigError(
      unknown.map(
        ({ network }) => `X402_NETWORKS: USDC is not known on ${network}. Set a token: ${network}=0x…`,
      ),
    );
  const facilitator = createFacilitator(parts, payments);
  const paidRequests = new PaidRequests({
    db,
    offers: new Offers({ facilitator, networks, payTo, chains, log }),
    verifier: new ChainVerifier(chains),
    store: payments,
    leaseMs,
    publicUrl,
    log,
  });
  const resolve = async (id: string) => {
    const againMs = await paidRequests.resolveLost(id);
    if (againMs !== null) await jobs.set(db, paymentJob, id, new Date(Date.now() + againMs));
  };
  jobs.on(paymentJob, ({ subject }) => resolve(subject), { atOnce: paymentsAtOnce });
  return { x402Payments: payments, paidRequests };
}

function createFacilitator(
  { config, db, chains, log }: PaidRequestDeps,
  payments: X402Payments,
): FacilitatorClient {
  const { X402_FACILITATOR_URL: url, X402_SETTLER_KEY: key, X402_NETWORKS: networks } = config;
  if (url !== undefined) return new HTTPFacilitatorClient({ url, timeoutMs: facilitatorLimitMs });
  if (key === undefined)
    throw new ConfigError(['X402_SETTLER_KEY: payments need this key or X402_FACILITATOR_URL']);
  const account = privateKeyToAccount(key);
  const leases = new Map(
    networks.map(({ chainId }) => [chainId, new SettlerLease(db, log, chainId, account.address)] as const),
  );
  return createSettler({
    account,
    networks,
    chains,
    maxFee: BigInt(config.X402_MAX_FEE_GWEI) * 1_000_000_000n,
    lease: (chainId) => leases.get(chainId) ?? new SettlerLease(db, log, chainId, account.address),
    onSigned: (payment, tx) => payments.signed(payment, tx),
  });
}
