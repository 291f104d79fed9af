import * as verifications from '../../../sdk/protocol/verifications.ts';
import { verificationPrice } from '../../money/prices.ts';
import { route, type Route } from '../../http/Route.ts';
import { accountIdOf } from '../../http/signedIn.ts';
import type { VerificationService } from './VerificationService.ts';

export function verificationRoutes(service: VerificationService | null): Route[] {
  return [
    route({
      method: 'post',
      path: '/verifications/start',
      summary: 'Sends a verification code to a phone number.',
      scope: 'verifications:start',
      x402: true,
      price: verificationPrice,
      body: verifications.startVerification,
      response: verifications.startedVerification,
      status: 201,
      check: ({ body }, executor) => service?.checkStart(body, executor),
      work: service ? ({ body, principal }, unit) => service.start(body, accountIdOf(principal), unit) : null,
    }),
    route({
      // An x402 payer has no credential. The id is enough to check their code, because it cannot be guessed.
      credential: 'optional',
      method: 'post',
      path: '/verifications/check',
      summary: 'Checks a verification code.',
      scope: 'verifications:start',
      body: verifications.checkVerification,
      response: verifications.checkedVerification,
      handle: service ? ({ body, principal }) => service.check(body, accountIdOf(principal)) : null,
    }),
  ];
}
