import type { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { requestsDied } from '../../../platform/node/OwnNode.ts';
import type { X402Payments } from '../x402/X402Payments.ts';
import type { AccountFundingDeps } from '../AccountFunding.ts';

/**
 * Immediately frees the keys, reservations and payments of a dead node's requests. Otherwise they would stay locked for up to another
 * minute, until their leases end.
 */
export function freeRequestsOfDeadNodes(
  jobs: ScheduledJobs,
  { idempotency, ledger }: Pick<AccountFundingDeps, 'idempotency' | 'ledger'>,
  payments: X402Payments,
): void {
  jobs.on(requestsDied, async ({ subject: nodeId }) => {
    await ledger.settleOf(nodeId);
    await idempotency.free(nodeId);
    await payments.free(nodeId);
  });
}
