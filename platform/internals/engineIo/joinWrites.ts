import type { Duplex } from 'node:stream';
import type { Server } from 'socket.io';
import { onConnection } from './connection.ts';

/**
 * Joins all writes to a connection within one turn of the event loop. Engine.IO writes the first packet immediately and every frame
 * separately; for small frames, the write costs more than all other work.
 */
export function joinWrites(io: Pick<Server, 'engine'>): void {
  onConnection(io, (connection) => {
    const { socket } = connection.request;
    const flush = connection.flush.bind(connection);
    let isJoining = false;
    connection.on('packetCreate', () => {
      if (isJoining) return;
      isJoining = true;
      process.nextTick(() => {
        isJoining = false;
        flush();
      });
    });
    // `transport.writable` stays true in the meantime. While it is false, Socket.IO drops volatile events.
    connection.flush = () => {
      if (!isJoining) flush();
    };
    connection.on('flush', () => socket.cork());
    connection.on('drain', () => socket.uncork());
  });
}

/**
 * Writes the response to the upgrade and Engine.IO's first packet together. That costs less, and it protects clients: if only the
 * response arrives, socket.io-client waits for its full timeout, because it ignores the end of a connection that is not open yet.
 */
export function joinFirstWrites(socket: Duplex): void {
  socket.cork();
  setImmediate(() => socket.uncork());
}
