import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { CodeSender } from '../../../server/telephony/verifications/CodeSender.ts';
import { VerificationService } from '../../../server/telephony/verifications/VerificationService.ts';
import { startSpendingServer, type SpendingServer } from '../money/spendingServer.ts';

/**
 * The server's own parts with verifications, whose texts go to a carrier of the test's: an HTTP server at `carrierUrl` that takes
 * them (POST /) and says which it has (GET /vrf_…).
 */
export function startCodeServer(
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
