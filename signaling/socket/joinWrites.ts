import type { Duplex } from 'node:stream';
import type { ParleyServer } from './RequestContext.ts';

/** What is used of an Engine.IO connection. */
interface Connection {
  transport: { writable: boolean; emit(event: 'ready'): boolean };
  request: { socket: Duplex };
  on(event: 'packetCreate' | 'flush' | 'drain', listener: () => void): void;
}

/**
 * Whatever a connection is told in one turn goes to the network at once. Engine.IO writes the first packet as it comes and every
 * frame on its own; for small ones a write costs more than all else about them.
 */
export function joinWrites(io: ParleyServer): void {
  io.engine.on('connection', (connection: Connection) => {
    const { transport, request } = connection;
    // Of the WebSocket: its handshake was a request on it.
    const { socket } = request;
    connection.on('packetCreate', () => {
      if (!transport.writable) return;
      transport.writable = false;
      process.nextTick(() => {
        transport.writable = true;
        transport.emit('ready');
      });
    });
    connection.on('flush', () => socket.cork());
    connection.on('drain', () => socket.uncork());
  });
}

/**
 * The answer to the upgrade and Engine.IO's first packet go together. That costs less, and a client that gets the one without the
 * other waits for as long as it may: socket.io-client doesn't look at the end of a connection that was not open yet.
 */
export function joinFirstWrites(socket: Duplex): void {
  socket.cork();
  setImmediate(() => socket.uncork());
}
