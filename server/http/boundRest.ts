import type { Request, Response } from 'express';
import { hasBody } from './hasBody.ts';

const maxRestBytes = 64 * 1024 * 1024;

/**
 * Limits how much of a body may still arrive after the answer. Node reads and discards it, because a client that is still sending might not
 * see the answer otherwise. `Connection: keep-alive` makes Node do so even if the client asked to close the connection.
 */
export function boundRest(request: Request, response: Response): void {
  if (request.complete || !hasBody(request)) return;
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
