import type { Telephony } from '../../../server/telephony/Telephony.ts';
import { VerificationService } from '../../../server/telephony/verifications/VerificationService.ts';
import type { Parts } from '../money/spendingServer.ts';

/** Adds verifications to a server whose parts a test provides. */
export const withCodes = ({ db, secrets }: Parts, { texts }: Telephony) => ({
  verifications: new VerificationService({ db, texts, keys: secrets.keys('verification codes') }),
});
