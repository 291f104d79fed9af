import type { Secrets } from '../../platform/secrets.ts';
import { Coturn } from '../turn/Coturn.ts';
import type { TurnPlan } from '../turn/turnPlan.ts';
import type { Parts } from './Parts.ts';

/**
 * The secrets of the TURN servers of TURN=auto. They are the same on all nodes, so each makes credentials for all servers, with the first one.
 * There are two during a rotation of SECRET_KEY.
 */
export const turnSecrets = (secrets: Secrets) =>
  secrets
    .keys('turn')()
    .map((key) => key.toString('hex')) as [string, ...string[]];

/** Runs this node's TURN server until the server closes. */
export async function openTurn(
  plan: TurnPlan,
  { config, secrets, closers, log }: Pick<Parts, 'config' | 'secrets' | 'closers' | 'log'>,
): Promise<void> {
  const coturn = await Coturn.start({ plan, dataDir: config.DATA_DIR, secrets: turnSecrets(secrets), log });
  closers.push(['TURN', () => coturn.close()]);
}
