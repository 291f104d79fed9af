import { argv, stdout } from 'node:process';
import { EmbeddedPostgres } from '../../../platform/embeddedPostgres/EmbeddedPostgres.ts';
import { query, silent } from './support.ts';

/**
 * The program the tests kill. It prints "up" when the server takes connections and "committed" after a row is; on Ctrl-C
 * it prints what it still can read, then closes.
 */
const [, , dataDir = ''] = argv;
const server = await EmbeddedPostgres.start({ dataDir, logger: silent, onLost: () => {} });
stdout.write('up\n');
await query(server, 'CREATE TABLE IF NOT EXISTS kept (id int)');
await query(server, 'INSERT INTO kept VALUES (1)');
// The server must not see the terminal's signal, so the program can take its time and use the database to the end.
process.once('SIGINT', () => void shutDown());
stdout.write('committed\n');

async function shutDown(): Promise<void> {
  const [row] = await query(server, 'SELECT pg_sleep(0.3), count(*)::int AS rows FROM kept');
  stdout.write(`${String(row?.['rows'])} rows\n`);
  await server.close();
}
