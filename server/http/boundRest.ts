import type { Request, Response } from 'express';

const mostUnread = 64 * 1024 * 1024;

/**
 * Of a request that is answered before its body has all come, Node reads the rest to nowhere, so that its sender gets to see the answer:
 * also where the client asked for the connection's end, at which Node would cut it off. This is as much of it as it gets.
 */
export function boundRest(request: Request, response: Response): void {
  if (request.complete) return;
  response.set('Connection', 'keep-alive');
  response.once('finish', () => {
    if (request.complete) return;
    let left = mostUnread;
    request.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) request.destroy();
    });
  });
}
