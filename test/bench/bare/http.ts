import express from 'express';
import pg from 'pg';

/* The baseline for HTTP: an Express server with one route, which does one indexed read in the same database as Parley's server. */

const [, , portText = '', socketFolder = '', accountId = ''] = process.argv;

// As in Parley's server, there are at most 20 connections, and the statement is prepared once per connection.
const pool = new pg.Pool({
  host: socketFolder,
  user: 'postgres',
  database: 'postgres',
  application_name: 'bare',
  max: 20,
  idleTimeoutMillis: 60_000,
});
const app = express();
app.get('/credits', async (_request, response) => {
  const { rows } = await pool.query<{ credits: string }>({
    name: 'read credits',
    text: 'SELECT credits, reserved, credits_updated_at FROM accounts WHERE id = $1',
    values: [accountId],
  });
  response.json(rows[0]);
});
app.listen(Number(portText), '127.0.0.1', () => console.log('listening'));
process.stdin.resume().once('end', () => process.exit());
