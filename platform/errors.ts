import { z } from 'zod';
import { notAnAddress } from '../sdk/protocol/common.ts';
import { ParleyError, type ErrorBody, type ErrorDetail } from '../sdk/protocol/errors.ts';
import { describeIssue } from './schemaWords.ts';

// Zod's own words are for programmers ("Too small: expected number to be >=2"). Where a schema has words, those are taken.
z.config({ customError: describeIssue });

const shownDetails = 10;
/** The names of unknown fields are the client's own words, of any length. */
const shownLength = 300;

/** What failed, field by field; INVALID_ADDRESS where it is a wallet's. */
export function validationError(error: z.ZodError): ParleyError {
  const details = error.issues.flatMap(toDetails).slice(0, shownDetails);
  const wallet = details.find((detail) => detail.code === 'invalid_address');
  const first = wallet ?? details[0];
  const message = first ? `${first.path || 'The request'}: ${first.message}` : 'The request is not valid.';
  return new ParleyError(wallet ? 'INVALID_ADDRESS' : 'VALIDATION_ERROR', message, { details });
}

function toDetails(issue: z.core.$ZodIssue): ErrorDetail[] {
  const detail = (path: PropertyKey[], code: string, message: string) => ({
    path: path.map(String).join('.').slice(0, shownLength),
    code,
    message: message.slice(0, shownLength),
  });
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => detail([...issue.path, key], 'unknown_field', 'there is no such field'));
  const code =
    issue.message === notAnAddress ? 'invalid_address' : (ownCode(issue) ?? issue.code ?? 'invalid');
  return [detail(issue.path, code, issue.message)];
}

/** A schema's own name for what it refuses (`invalid_phone_number`). */
function ownCode(issue: z.core.$ZodIssue): string | undefined {
  const code: unknown = issue.code === 'custom' ? issue.params?.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** What a client may know of an error. Anything that is not a ParleyError is our fault, and its text our own business. */
export function toErrorBody(error: unknown, requestId: string): ErrorBody {
  if (error instanceof ParleyError) {
    const { code, message, details, extra, retryAfter } = error;
    return {
      code,
      message,
      requestId,
      ...(details ? { details } : {}),
      ...(extra ? { extra } : {}),
      ...(retryAfter ? { retryAfter } : {}),
    };
  }
  if (isOutage(error)) {
    const message = 'A part the server needs is away: try again in a moment.';
    return { code: 'SERVICE_UNAVAILABLE', message, requestId, retryAfter: 1 };
  }
  const message = 'Something failed on the server; the request id finds it in its log.';
  return { code: 'INTERNAL', message, requestId };
}

/**
 * PostgreSQL shutting down or starting; out of disk, memory or connections; failing to read or write; a connection that was refused or
 * lost. And a disk of ours that is full.
 */
const outageCodes = new Set([
  ...[
    '57P01',
    '57P02',
    '57P03',
    '53000',
    '53100',
    '53200',
    '53300',
    '53400',
    '58030',
    '08000',
    '08003',
    '08006',
  ],
  ...['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'],
]);
/** The database driver's own errors for a connection that ended or never came, which have no code. */
const describeOutage =
  /^Connection terminated|^Client (has encountered a connection error|was closed)|timeout exceeded when trying to connect|^Query read timeout/;

/** Whether something failed because another program was not there, which passes by itself. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', syscall, message } = error as NodeJS.ErrnoException;
  const noSocketFile = code === 'ENOENT' && syscall === 'connect';
  return outageCodes.has(code) || noSocketFile || describeOutage.test(message) || isOutage(error.cause);
}
