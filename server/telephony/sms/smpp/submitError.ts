import smpp from 'smpp';
import { CarrierError, type CarrierErrorCode } from '../CarrierError.ts';
import { statusName } from './SmppSession.ts';

const is = (status: number, ...given: string[]) => given.some((name) => smpp.errors[name] === status);

/** Whether the status means that the SMSC wants fewer submits. */
export const isThrottled = (status: number) => is(status, 'ESME_RTHROTTLED', 'ESME_RMSGQFUL');

/** The error for a submit_sm_resp with a command status other than 0. The text was not accepted. */
export function submitError(status: number): CarrierError {
  const name = statusName(status);
  if (isThrottled(status))
    return new CarrierError('temporary', 'carrier_unavailable', `The carrier is busy (${name}).`, {
      retryAfter: 2,
    });
  if (is(status, 'ESME_RSYSERR', 'ESME_RX_T_APPN', 'ESME_RINVBNDSTS'))
    return new CarrierError(
      'temporary',
      'carrier_unavailable',
      `The carrier cannot accept texts now (${name}).`,
    );
  return new CarrierError('permanent', codeOf(status), `The carrier refused the text (${name}).`);
}

function codeOf(status: number): CarrierErrorCode {
  if (is(status, 'ESME_RINVDSTADR', 'ESME_RINVDSTTON', 'ESME_RINVDSTNPI')) return 'invalid_destination';
  if (is(status, 'ESME_RINVSRCADR', 'ESME_RINVSRCTON', 'ESME_RINVSRCNPI')) return 'invalid_sender';
  return is(status, 'ESME_RPROHIBITED') ? 'blocked' : 'rejected';
}
