import { toIso } from '../../../sdk/protocol/common.ts';
import { verificationAttempts, type WireStartedVerification } from '../../../sdk/protocol/verifications.ts';
import type { Charge } from '../../http/Route.ts';
import type { VerificationRow } from './tables.ts';

export const toStartedVerification = (
  { id, to, channel, expiresAt }: Pick<VerificationRow, 'id' | 'to' | 'channel' | 'expiresAt'>,
  charge: Charge | null,
): WireStartedVerification => ({
  id,
  to,
  channel,
  status: 'pending',
  expiresAt: toIso(expiresAt),
  attemptsRemaining: verificationAttempts,
  credits: charge?.credits ?? 0,
  balance: charge?.balance ?? null,
});
