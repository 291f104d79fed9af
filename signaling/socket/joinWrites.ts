import type { Duplex } from 'node:stream';
import type { ParleyServer } from './RequestContext.ts';

/** The part of an Engine.IO connection that this file uses. */
interface Connection {
  transport: { writable: boolean; emit(event: 'ready'): boolean };
  request: { socket: Duplex };
  on(event: 'packetCreate' | 'flush' | 'drain', listener: () => void): void;
}

/**
 * Joins all writes to a connection within one turn of the event loop. Engine.IO writes the first packet immediately and every frame
 * separately; for small frames the write costs more than everything else.
 */
export function joinWrites(io: ParleyServer): void {
  io.engine.on('connection', (connection: Connection) => {
    const { transport, request } = connection;
    // The request whose socket the WebSocket took over.
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
 * Writes the response to the upgrade and Engine.IO's first packet together. That costs less, and it protects clients: if only the
 * response arrives, socket.io-client waits for its full timeout, because it ignores the end of a connection that is not open yet.
 */
export function joinFirstWrites(socket: Duplex): void {
  socket.cork();
  setImmediate(() => socket.uncork());
}
