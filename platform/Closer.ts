import type { Logger } from 'pino';

/** A running part of the server, with the function that ends it. */
export type Closer = [part: string, close: () => unknown];

/** Ends parts in the reverse order of their start. */
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
