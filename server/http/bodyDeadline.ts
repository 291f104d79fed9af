import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { hasBody } from './hasBody.ts';
import { mustWait, refuseOn } from './unreadable.ts';

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Ends requests whose body does not arrive in time. Otherwise each could hold a connection for the five minutes of Node's
 * requestTimeout, which only uploads need.
 */
export function limitBodies(server: Server, limitMs: number): void {
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!hasBody(request)) return;
    timers.set(request, setTimeout(() => endLate(request, response), limitMs).unref());
    request.once('close', () => allowLongBody(request));
  });
}

/** Lifts the limit for uploads, after their sender is authenticated. */
export function allowLongBody(request: IncomingMessage): void {
  clearTimeout(timers.get(request));
  timers.delete(request);
}

function endLate(request: IncomingMessage, response: ServerResponse): void {
  // The body has arrived. The handler may take longer than the limit.
  if (request.complete) return;
  const { socket } = request;
  if (mustWait(response)) socket.destroy();
  else refuseOn(socket, 'request_timeout', 'The body of the request did not arrive in time. Send it again.');
}
