import type { Logger } from 'pino';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { GateConfig, WireAccessResult } from '../../sdk/protocol/gates.ts';
import type { Gates } from './Gates.ts';

/** The delay before a chain that could not be read is asked again. */
const retryMs = 30_000;
/** While the gate cannot be read, a wallet may stay for this many check intervals after the gate last admitted it. */
const unknownIntervals = 3;
/** The options of the jobs that check again. A chain may take long to answer, and other jobs, such as deadlines of calls, must not wait for it. */
export const recheckJobs = { atOnce: 64 };

interface Recheck {
  gates: Gates;
  gate: GateConfig;
  wallet: Address;
  /** When the gate last admitted the wallet. */
  checkedAt: Date | null;
  recheckMs: number;
  log: Logger;
}

export type Verdict =
  /** Check again after `againMs`. `checkedAt` is null when the check failed. */
  | { kind: 'stays'; againMs: number; checkedAt: Date | null }
  | { kind: 'leaves'; reason: 'access_lost' | 'access_unknown'; access: WireAccessResult | null };

/** Whether a wallet that the gate last admitted at this time may stay while the gate cannot be read. */
export const mayStayUnread = (checkedAt: Date | null, recheckMs: number): boolean =>
  Date.now() - (checkedAt?.getTime() ?? 0) <= unknownIntervals * recheckMs;

/** Checks a wallet again. The wallet must leave if it no longer qualifies, or if the gate has been unreadable for too long. */
export async function recheck({ gates, gate, wallet, checkedAt, recheckMs, log }: Recheck): Promise<Verdict> {
  try {
    const access = await gates.check(gate, wallet, { isFresh: true });
    if (!access.allowed) return { kind: 'leaves', reason: 'access_lost', access };
    return { kind: 'stays', againMs: recheckMs, checkedAt: new Date() };
  } catch (err) {
    if (!(err instanceof ParleyError && err.code === 'SERVICE_UNAVAILABLE')) throw err;
    log.warn({ err, wallet }, 'recheck of gate failed');
    if (!mayStayUnread(checkedAt, recheckMs))
      return { kind: 'leaves', reason: 'access_unknown', access: null };
    return { kind: 'stays', againMs: Math.min(retryMs, recheckMs), checkedAt: null };
  }
}
