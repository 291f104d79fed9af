import type { Response } from 'express';
import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';

/** An answer whose status, headers and body the handler chooses. Other answers are JSON with the route's status. */
export class RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string | number>;
  /** A stream of bytes, an object to send as JSON, or null for no body. */
  readonly body: Readable | object | null;

  constructor(
    status: number,
    headers: Record<string, string | number>,
    body: Readable | object | null = null,
  ) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

const isStream = (body: RawAnswer['body']): body is Readable =>
  body !== null && 'pipe' in body && typeof body.pipe === 'function';

export async function sendRaw(response: Response, { status, headers, body }: RawAnswer): Promise<void> {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.status(status);
  if (!isStream(body)) {
    if (body === null) response.end();
    else response.json(body);
    return;
  }
  if (response.req.method === 'HEAD') {
    body.destroy();
    response.end();
    return;
  }
  try {
    await pipeline(body, response);
  } catch (err) {
    // The status is sent already. Closing the connection early is the only way to report the failure.
    const { code } = err as NodeJS.ErrnoException;
    if (code !== 'ERR_STREAM_PREMATURE_CLOSE') response.req.log.warn({ err }, 'sending a file failed');
    response.destroy();
  }
}
