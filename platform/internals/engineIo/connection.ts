import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Server, Socket as ServerSocket } from 'socket.io';

/**
 * A TCP connection, with the size of libuv's write queue, by which net.Socket distinguishes a slow write from one that makes no progress.
 */
export interface NetworkSocket extends Duplex {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

/**
 * The part of an Engine.IO connection over WebSocket that the server uses. Engine.IO does not document all of it, so contract.test.ts
 * checks it.
 */
export interface EngineConnection {
  /** 'open' until either end starts to close the connection. */
  readyState: string;
  transport: {
    writable: boolean;
    emit(event: 'ready'): boolean;
    /** The WebSocket of the package ws. */
    socket: { ping(): void; once(event: 'pong', listener: () => void): void };
  };
  /** Writes the packets that wait, if the transport is writable. Engine.IO calls it after each packet, and when the transport is ready. */
  flush(): void;
  /** The request whose socket the WebSocket took over. */
  request: Omit<IncomingMessage, 'socket'> & { socket: NetworkSocket };
  on(event: 'packetCreate', listener: (packet: { data?: string | Buffer }) => void): void;
  /** `flush`: a write starts. `drain`: Engine.IO has handed it to the socket. */
  on(event: 'flush' | 'drain', listener: () => void): void;
  once(event: 'flush' | 'close', listener: () => void): void;
}

/** Calls the listener for each new connection of a server. */
export function onConnection(
  io: Pick<Server, 'engine'>,
  listener: (connection: EngineConnection) => void,
): void {
  io.engine.on('connection', listener);
}

/** The connection of a Socket.IO socket. */
export const connectionOf = (socket: Pick<ServerSocket, 'conn'>) =>
  socket.conn as unknown as EngineConnection;
