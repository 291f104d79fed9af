import { ParleyError } from '../../protocol/errors.ts';
import type { WireAccessResult } from '../../protocol/gates.ts';

/** The requirements that a wallet does not meet, if that is why the server has refused it; null for another error. */
export const accessOf = (error: unknown): WireAccessResult | null =>
  error instanceof ParleyError && error.extra && 'missingRequirements' in error.extra
    ? (error.extra as unknown as WireAccessResult)
    : null;
