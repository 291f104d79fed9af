import type { z } from 'zod';
import { notAnAddress } from '../sdk/protocol/common.ts';
import { ParleyError, type ErrorBody, type ErrorDetail } from '../sdk/protocol/errors.ts';

const shownDetails = 10;

/** What failed, field by field; INVALID_ADDRESS where it is a wallet's. */
export function validationError(error: z.ZodError): ParleyError {
  const details = error.issues.slice(0, shownDetails).map(toDetail);
  const wallet = details.find((detail) => detail.code === 'invalid_address');
  const first = wallet ?? details[0];
  const message = first ? `${first.path || 'The request'}: ${first.message}` : 'The request is not valid.';
  return new ParleyError(wallet ? 'INVALID_ADDRESS' : 'VALIDATION_ERROR', message, { details });
}

function toDetail(issue: z.core.$ZodIssue): ErrorDetail {
  return {
    path: issue.path.join('.'),
    code: issue.message === notAnAddress ? 'invalid_address' : issue.code,
    message: issue.message,
  };
}

/** What a client may know of an error. Anything that is not a ParleyError is our fault, and its text our own business. */
export function toErrorBody(error: unknown, requestId: string): ErrorBody {
  if (!(error instanceof ParleyError)) {
    return {
      code: 'INTERNAL',
      message: 'Something failed on the server; the request id finds it in its log.',
      requestId,
    };
  }
  const { code, message, details, retryAfter } = error;
  return { code, message, requestId, ...(details ? { details } : {}), ...(retryAfter ? { retryAfter } : {}) };
}
