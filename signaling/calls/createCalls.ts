import { AwayParties } from './AwayParties.ts';
import type { CallDeps } from './CallDeps.ts';
import { CallMaintenance } from './CallMaintenance.ts';
import { CallService } from './CallService.ts';

/** Creates the rules of calls, for a node that accepts connections. */
export function createCalls(deps: CallDeps): { calls: CallService; maintenance: CallMaintenance } {
  const away = new AwayParties(deps);
  const calls = new CallService(deps, away);
  return { calls, maintenance: new CallMaintenance(deps, calls, away) };
}
