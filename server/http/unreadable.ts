import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import type { HttpReason } from '../../sdk/protocol/reasons.ts';
import { toHttpError } from './errors.ts';

/** What Node reports of a request that it cannot read. All other errors are of its first line, its headers or its chunks. */
const refusals: Record<string, [HttpReason, string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time. Send it again.'],
  HPE_HEADER_OVERFLOW: [
    'headers_too_large',
    'The address and the headers of the request are larger than 16 kB together. Shorten them: queries, cookies and tokens are usually the largest.',
  ],
};

/** Answers requests that Node cannot read as all others are answered: with JSON that says what is wrong. Without this, they get an empty body. */
export function answerUnreadable(server: Server): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) =>
    latest.set(request.socket, response),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const response = latest.get(socket);
    const isBusy = response !== undefined && !response.writableFinished && mustWait(response);
    if (!socket.writable || error.code === 'ECONNRESET' || isBusy) return void socket.destroy(error);
    const [reason, message] = refusals[error.code ?? ''] ?? [
      'invalid_request',
      'The request is not valid HTTP/1.1.',
    ];
    refuseOn(socket, reason, message);
  });
}

/**
 * Whether another answer on the connection would be mixed with this one, which has begun, or with that to an earlier request. Until that
 * one has ended, this one has no socket.
 */
export const mustWait = (response: ServerResponse): boolean =>
  response.headersSent || response.socket === null;

/** Answers a request without Express, and closes the connection. */
export function refuseOn(socket: Duplex, reason: HttpReason, message: string): void {
  const error = new ParleyError('VALIDATION_ERROR', message, { reason });
  const id = newId('req');
  const { status, body } = toHttpError(error, id);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `X-Request-Id: ${id}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
}
