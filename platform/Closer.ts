import type { Logger } from 'pino';

/** The name of a running part of the server, and the function that closes it. */
export type Closer = [part: string, close: () => unknown];

/**
 * Closes parts in the reverse order of their start.
 * @param slowMs the time after which the log names a part that is not closed yet, because the program may have to end without it. Default: 5 s.
 */
export async function closeAll(closers: Closer[], log: Logger, slowMs = 5_000): Promise<void> {
  for (const [part, close] of closers.splice(0).reverse()) {
    const slow = setTimeout(() => log.warn({ part }, 'takes long to close'), slowMs).unref();
    try {
      await close();
      log.debug({ part }, 'closed');
    } catch (err) {
      // A failure to close one part must not leave the others open.
      log.error({ err, part }, 'could not be closed');
    } finally {
      clearTimeout(slow);
    }
  }
}
