import { ParleyError } from '../../sdk/protocol/errors.ts';

/** Handles the error of an operation that has no effect in a room that has ended. @throws the error, if it has another cause */
export function ignoreGone(error: unknown): void {
  if (!(error instanceof ParleyError && error.code === 'NOT_FOUND')) throw error;
}
