import { z } from 'zod';
import { notAnAddress } from '../sdk/protocol/common.ts';
import { ParleyError, type ErrorBody, type ErrorDetail } from '../sdk/protocol/errors.ts';
import { describeIssue } from './describeIssue.ts';
import { formerDetails } from './formerDetails.ts';

// Zod's own messages are for programmers ("Too small: expected number to be >=2"). The messages of schemas take precedence.
z.config({ customError: describeIssue });

const shownDetails = 10;
/** The maximum length of a path or message. The names of unknown fields come from the client and may have any length. */
const shownLength = 300;

/** Lists the invalid fields. The code is INVALID_ADDRESS if one of them is a wallet's address, else VALIDATION_ERROR. */
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
    return issue.keys.map((key) => detail([...issue.path, key], 'unknown_field', 'is not a known field'));
  const code =
    issue.message === notAnAddress ? 'invalid_address' : (ownCode(issue) ?? issue.code ?? 'invalid');
  return [detail(issue.path, code, issue.message)];
}

/** The code that a schema's own check sets, for example `invalid_phone_number`. */
function ownCode(issue: z.core.$ZodIssue): string | undefined {
  const code: unknown = issue.code === 'custom' ? issue.params?.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** The part of an error that a client may see. The message of any error other than a ParleyError stays on the server. */
export function toErrorBody(error: unknown, requestId: string): ErrorBody & { reason: string } {
  if (error instanceof ParleyError) {
    const { code, reason, message, extra, retryAfter } = error;
    const details = error.details ?? formerDetails(error);
    return {
      code,
      reason,
      message,
      requestId,
      ...(details ? { details } : {}),
      ...(extra ? { extra } : {}),
      ...(retryAfter ? { retryAfter } : {}),
    };
  }
  if (isOutage(error)) {
    const message = 'A service that the server depends on is unavailable: try again in a moment.';
    return toErrorBody(new ParleyError('SERVICE_UNAVAILABLE', message, { retryAfter: 1 }), requestId);
  }
  const message = 'Internal error. The server log has the details under the request id.';
  return toErrorBody(new ParleyError('INTERNAL', message), requestId);
}

/** PostgreSQL's code for a write that it refuses, because it is a standby, or because its host has made it read-only with a full disk. */
export const readOnlyCode = '25006';
/** The codes of a program that cannot be reached: no connection was made, so nothing was sent to it. */
export const unreachedCodes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];
/**
 * The codes of temporary failures: PostgreSQL is shutting down or starting, out of disk, memory or connections, fails to read or write, or
 * has ended a transaction that was idle for too long, or takes no writes; a program cannot be reached, or its connection was lost; or this
 * server's disk is full.
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
    '25P03',
    readOnlyCode,
  ],
  ...['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'],
  ...unreachedCodes,
  ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT'],
]);
/** The database driver's errors for a connection that ended or was never made. They have no code. */
const outageMessages =
  /^Connection terminated|^Client (has encountered a connection error|was closed)|timeout exceeded when trying to connect|^timeout expired|^Query read timeout/;

/** Whether the cause of an error is temporary: another program is unavailable, or a resource is exhausted. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof ParleyError && error.code === 'SERVICE_UNAVAILABLE') return true;
  const { code = '', syscall, message } = error as NodeJS.ErrnoException;
  const noSocketFile = code === 'ENOENT' && syscall === 'connect';
  return outageCodes.has(code) || noSocketFile || outageMessages.test(message) || isOutage(error.cause);
}

/** Whether a TLS server was refused because the authority of its certificate is unknown. */
export const isUnknownAuthority = (error: unknown): boolean =>
  /SELF_SIGNED_CERT|^UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT)/.test(
    String((error as { code?: unknown } | null)?.code),
  );
