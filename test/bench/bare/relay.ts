import { createServer } from 'node:http';
import pg from 'pg';
import { Server } from 'socket.io';
import { connections, insertInto, type Inserted } from './insert.ts';

/*
 * The baseline for messages: Socket.IO relays them between two sockets and acknowledges them. With a database it first inserts each one, as a
 * person would write it who adds storage to a Socket.IO server: without groups, receipts, block lists, numbered events or limits.
 */

const [, , portText = '', database] = process.argv;
const http = createServer();
const io = new Server(http, { transports: ['websocket'] });
const insert = database ? await insertInto(openPool(database), 'relayed_messages') : null;

io.on('connection', (socket) => {
  void socket.join(String(socket.handshake.auth.wallet));
  const relay = (message: Inserted, acknowledge: (answer: unknown) => void) => {
    io.to(message.to).emit('message', message);
    acknowledge({});
  };
  socket.on('send', (message: Inserted, acknowledge: (answer: unknown) => void) => {
    if (insert) void insert(message).then(() => relay(message, acknowledge));
    else relay(message, acknowledge);
  });
});

http.listen(Number(portText), '127.0.0.1', () => console.log('listening'));
process.stdin.resume().once('end', () => process.exit());

function openPool(config: string): pg.Pool {
  const pool = new pg.Pool({ ...(JSON.parse(config) as pg.PoolConfig), max: connections });
  // When the benchmark ends, the database ends first.
  pool.on('error', () => {});
  return pool;
}
