import type { IncomingMessage } from 'node:http';

/** Whether a body follows the headers. It is empty if it has chunks of which there are none. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
