import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Ends connections that ask for a WebSocket outside `path`. Engine.IO does so too, except on a connection that has already served a
 * response: that one would stay open for as long as its client likes. A request that offers another protocol is served as HTTP/1.1: Java's
 * HttpClient offers HTTP/2 (h2c) with its first request over http.
 */
export function limitUpgrades(server: Server, path: string): void {
  server.on('upgrade', (request, socket, head) => {
    // Node has removed its own listener. Without any, a client that resets the connection during an answer would end the process.
    socket.removeListener('error', ignore).on('error', ignore);
    const isWebSocket = /\bwebsocket\b/i.test(request.headers.upgrade ?? '');
    if (!isWebSocket) serveAnyway(server, request, socket, head);
    else if (!request.url?.startsWith(path)) socket.end(() => socket.destroy());
  });
}

/** The connection is destroyed after an error. */
const ignore = () => {};

/** Has Node read the request again, without the header that made it hand over the connection. */
function serveAnyway(server: Server, request: IncomingMessage, socket: Duplex, rest: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), rest]));
  server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket);
}
