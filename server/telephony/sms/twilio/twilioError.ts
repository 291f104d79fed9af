import { unreachedCodes } from '../../../../platform/errors.ts';
import { CarrierError, type CarrierErrorCode } from '../CarrierError.ts';

/** Our code for each of Twilio's error codes, in refusals and receipts: https://www.twilio.com/docs/api/errors */
const codes: [CarrierErrorCode, number[]][] = [
  [
    'invalid_destination',
    [21211, 21214, 21217, 21219, 21265, 21408, 21421, 21612, 21614, 21635, 30005, 30006],
  ],
  ['invalid_sender', [21212, 21266, 21603, 21606, 21659, 21660, 21661, 30023, 30024, 30034]],
  ['blocked', [21610, 30004, 30007, 30022, 30032, 30410]],
  ['unreachable', [30003]],
  ['expired', [30036]],
  ['carrier_unavailable', [30001, 30002, 30017, 30018, 63038]],
  ['number_unavailable', [21404, 21422, 21452]],
  ['regulatory_requirements', [21615, 21628, 21631, 21649, 21650, 21651]],
];

/** Codes of temporary refusals: too many requests, a full queue, or a problem with our credentials or our balance. */
const temporary = new Set([20003, 20005, 20429, 14107, 21611, 30001, 30002, 63038]);
/** Errors that occur before a connection is established. */
const neverSent = new Set([...unreachedCodes, 'ERR_INVALID_URL']);

export const codeFor = (code: number): CarrierErrorCode | null =>
  codes.find(([, numbers]) => numbers.includes(code))?.[0] ?? null;

/**
 * Converts an error of the library. Such errors contain the request with its text and our credentials, so the original error is not kept as
 * the cause.
 */
export function twilioError(error: unknown): CarrierError {
  const { status, code } = error as { status?: unknown; code?: unknown };
  if (typeof status === 'number' && typeof code !== 'string') return refusal(status, Number(code) || 0);
  const name = typeof code === 'string' ? code : 'no answer';
  if (neverSent.has(name))
    return new CarrierError('temporary', 'carrier_unavailable', `Twilio cannot be reached (${name}).`);
  return new CarrierError('unknown', 'unknown_outcome', `Twilio did not answer (${name}).`);
}

function refusal(status: number, code: number): CarrierError {
  const what = code > 0 ? `Twilio ${code}` : `HTTP ${status}`;
  // A gateway may answer with such a status even if Twilio has accepted the request.
  if (status >= 500) return new CarrierError('unknown', 'unknown_outcome', `Twilio failed (${what}).`);
  if (temporary.has(code) || ([401, 403, 429].includes(status) && codeFor(code) === null))
    return new CarrierError('temporary', 'carrier_unavailable', `Twilio cannot accept this now (${what}).`);
  const ourCode = codeFor(code) ?? 'rejected';
  const requirements = ourCode === 'regulatory_requirements' ? [requirementOf(code)] : [];
  return new CarrierError('permanent', ourCode, `Twilio refused the request (${what}).`, { requirements });
}

const requirementOf = (code: number) => {
  if (code === 21615) return 'local_address';
  return code === 21631 || code === 21628 ? 'address' : 'regulatory_bundle';
};

/** Waits for an answer of Twilio. @throws CarrierError */
export async function orTwilioError<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw twilioError(error);
  }
}
