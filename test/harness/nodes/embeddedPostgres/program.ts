import { argv, stdout } from 'node:process';
import { EmbeddedPostgres } from '../../../../platform/embeddedPostgres/EmbeddedPostgres.ts';
import { query, silent } from './support.ts';

/**
 * Runs the embedded PostgreSQL, for tests that kill this program. It prints "up" when PostgreSQL accepts connections and "committed" when
 * a row is committed. On Ctrl-C it prints how many rows it can still read, then closes.
 */
const [, , dataDir = ''] = argv;
const server = await EmbeddedPostgres.start({ dataDir, logger: silent, onLost: () => {} });
stdout.write('up\n');
await query(server, 'CREATE TABLE IF NOT EXISTS kept (id int)');
await query(server, 'INSERT INTO kept VALUES (1)');
// PostgreSQL must not receive the terminal's signal, so that the program can use the database until it closes it.
process.once('SIGINT', () => void shutDown());
stdout.write('committed\n');

async function shutDown(): Promise<void> {
  const [row] = await query(server, 'SELECT pg_sleep(0.3), count(*)::int AS rows FROM kept');
  stdout.write(`${String(row?.['rows'])} rows\n`);
  await server.close();
}
