import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Reason } from '../../sdk/protocol/reasons.ts';

/** The error for a resource that does not exist or that the sender may not see. */
export const noSuch = (resource: string, message: string) =>
  new ParleyError('NOT_FOUND', message, { extra: { resource } });

/**
 * The error for a field of a request that is well-formed but not acceptable.
 * @param code what programs read in `details`
 * @param reason set if the whole error has a more specific reason than `validation_error`
 */
export const badField = (path: string, code: string, message: string, reason?: Reason) =>
  new ParleyError('VALIDATION_ERROR', `${path}: ${message}`, {
    reason,
    details: [{ path, code, message }],
  });
