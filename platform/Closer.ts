import type { Logger } from 'pino';

/** The name of a running part of the server, and the function that closes it. */
export type Closer = [part: string, close: () => unknown];

/** Closes parts in the reverse order of their start. */
export async function closeAll(closers: Closer[], log: Logger): Promise<void> {
  for (const [part, close] of closers.splice(0).reverse()) {
    try {
      await close();
      log.debug({ part }, 'closed');
    } catch (err) {
      // A failure to close one part must not leave the others open.
      log.error({ err, part }, 'could not be closed');
    }
  }
}
