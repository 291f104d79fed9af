import type { Request, Response } from 'express';

const maxRestBytes = 64 * 1024 * 1024;

/**
 * Limits the rest of a body that arrives after the answer. Node reads and discards that rest, because a client that is still sending may
 * not see the answer otherwise. `Connection: keep-alive` makes Node do so even if the client asked to close the connection.
 */
export function boundRest(request: Request, response: Response): void {
  if (request.complete) return;
  response.set('Connection', 'keep-alive');
  response.once('finish', () => {
    if (request.complete) return;
    let left = maxRestBytes;
    request.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) request.destroy();
    });
  });
}
