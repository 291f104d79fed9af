import { randomBytes } from 'node:crypto';
import type { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { queryDatabase } from '../../integration/money/accountSupport.ts';
import { signIn, tokenForger } from '../../integration/support.ts';

/**
 * Creates sessions like those of a sign-in, each of another wallet, and returns their tokens. The sessions are inserted into the database
 * directly, because signing in would need too many signatures and take too long.
 */
export async function sessionTokens(server: ServerProcess, count: number): Promise<string[]> {
  const { token } = await signIn(server.url);
  const forge = await tokenForger(server.dataDir);
  const wallets = Array.from({ length: count }, () => `0x${randomBytes(20).toString('hex')}`);
  const sessions = await queryDatabase(
    server,
    `INSERT INTO sessions (id, account_id, wallet, wallet_evidence, audience, network, chain_id, created_at)
     SELECT 'ses_' || md5(given), account_id, given, wallet_evidence, audience, network, chain_id, created_at
     FROM (SELECT * FROM sessions LIMIT 1) AS one, unnest($1::text[]) AS given RETURNING id, wallet`,
    [wallets],
  );
  return sessions.map(({ id, wallet }) => forge(token, { sub: wallet, sid: id }));
}
