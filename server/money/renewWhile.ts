import type { Logger } from 'pino';

interface Renewal {
  leaseMs: number;
  renew: () => Promise<void>;
  log: Logger;
}

/** Renews the lease of a request while `run` runs. */
export async function renewWhile<T>(run: () => T | Promise<T>, { leaseMs, renew, log }: Renewal): Promise<T> {
  const timer = setInterval(() => {
    renew().catch((err: unknown) => log.warn({ err }, 'renewing the lease of a running request failed'));
  }, leaseMs / 3);
  try {
    return await run();
  } finally {
    clearInterval(timer);
  }
}
