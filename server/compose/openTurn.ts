import type { Secrets } from '../../platform/secrets.ts';
import { Coturn } from '../turn/Coturn.ts';
import type { TurnPlan } from '../turn/turnPlan.ts';
import type { Parts } from './Parts.ts';

/** The secret of the TURN servers of TURN=auto. It is the same on all nodes, so each makes credentials for all servers. */
export const turnSecret = (secrets: Secrets) => secrets.derive('turn').toString('hex');

/** Runs this node's TURN server until the server closes. */
export async function openTurn(
  plan: TurnPlan,
  { config, secrets, closers, log }: Pick<Parts, 'config' | 'secrets' | 'closers' | 'log'>,
): Promise<void> {
  const coturn = await Coturn.start({ plan, dataDir: config.DATA_DIR, secret: turnSecret(secrets), log });
  closers.push(['TURN', () => coturn.close()]);
}
