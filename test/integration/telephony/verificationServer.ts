import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { CodeSender } from '../../../server/telephony/verifications/CodeSender.ts';
import { VerificationService } from '../../../server/telephony/verifications/VerificationService.ts';
import { startSpendingServer, type SpendingServer } from '../money/spendingServer.ts';

/**
 * A server with verifications. Its texts go to a fake carrier: an HTTP server at `carrierUrl` that accepts them (POST /) and reports
 * whether it has one (GET /vrf_…).
 */
export function startVerificationServer(
  dataDir: string,
  carrierUrl: string,
  settings: Record<string, string> = {},
): Promise<SpendingServer> {
  return startSpendingServer({
    dataDir,
    settings,
    provide: ({ db, accounts, secrets }) => ({
      verifications: new VerificationService({
        db,
        ledger: accounts.ledger,
        sender: senderAt(carrierUrl),
        key: secrets.derive('verification codes'),
      }),
    }),
  });
}

const senderAt = (url: string): CodeSender => ({
  calls: false,
  check: () => Promise.resolve(),
  async send(text) {
    const { status } = await fetch(url, { method: 'POST', body: JSON.stringify(text) });
    if (status !== 200)
      throw new ParleyError('VALIDATION_ERROR', 'This country may not be texted.', {
        reason: 'unsupported_destination',
      });
  },
  async wasSent(reference) {
    return (await fetch(`${url}/${reference}`)).status === 200;
  },
});
