import type { Logger } from 'pino';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { GateConfig, WireAccessResult } from '../../sdk/protocol/gates.ts';
import type { Gates } from './Gates.ts';

/** A chain that could not be read is asked again that soon. */
const retryMs = 30_000;
/** Whoever is in may stay for so many intervals while nobody can tell whether they qualify. */
const unknownIntervals = 3;

interface Asking {
  gates: Gates;
  gate: GateConfig;
  wallet: Address;
  /** When it was let in last. */
  checkedAt: Date | null;
  recheckMs: number;
  log: Logger;
}

export type Verdict =
  /** To be asked again after so long. `checkedAt` is null where nobody could tell. */
  | { kind: 'stays'; againMs: number; checkedAt: Date | null }
  | { kind: 'leaves'; reason: 'access_lost' | 'access_unknown'; access: WireAccessResult | null };

/** Whoever no longer qualifies leaves; so does, in the end, whoever nobody can tell of. */
export async function recheck({ gates, gate, wallet, checkedAt, recheckMs, log }: Asking): Promise<Verdict> {
  try {
    const access = await gates.check(gate, wallet, { isFresh: true });
    if (!access.allowed) return { kind: 'leaves', reason: 'access_lost', access };
    return { kind: 'stays', againMs: recheckMs, checkedAt: new Date() };
  } catch (err) {
    if (!(err instanceof ParleyError && err.code === 'SERVICE_UNAVAILABLE')) throw err;
    log.warn({ err, wallet }, 'gate could not be asked again');
    if (Date.now() - (checkedAt?.getTime() ?? 0) > unknownIntervals * recheckMs)
      return { kind: 'leaves', reason: 'access_unknown', access: null };
    return { kind: 'stays', againMs: Math.min(retryMs, recheckMs), checkedAt: null };
  }
}
